export const inRange = (value: number, low: number, high: number): boolean => value >= low && value <= high;
