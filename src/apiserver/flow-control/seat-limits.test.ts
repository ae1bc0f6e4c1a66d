import { describe, expect, test } from 'vitest';
import { type Claim, divideSeats, seatBounds } from './seat-limits.ts';
import { SeatDemand } from './seat-demand.ts';

describe('seats of levels', () => {
  test.each([
    {
      name: 'by shares, rounded up',
      total: 30,
      levels: [{ shares: 1 }, { shares: 245 }],
      bounds: [
        { nominal: 1, lower: 1, upper: 31 },
        { nominal: 30, lower: 30, upper: 60 },
      ],
    },
    {
      name: 'less what may be lent, and more by what may be borrowed',
      total: 600,
      levels: [
        { shares: 40, lendablePercent: 25, borrowingLimitPercent: 50 },
        { shares: 205, lendablePercent: 0, borrowingLimitPercent: 0 },
      ],
      bounds: [
        { nominal: 98, lower: 73, upper: 147 },
        { nominal: 503, lower: 503, upper: 503 },
      ],
    },
    {
      name: 'none where no level has a share',
      total: 600,
      levels: [{ shares: 0 }],
      bounds: [{ nominal: 0, lower: 0, upper: 600 }],
    },
  ])('Levels have seats $name', ({ total, levels, bounds }) => {
    expect(seatBounds(total, levels)).toEqual(bounds);
  });
});

describe('borrowing of seats', () => {
  const claim = (lower: number, upper: number, target: number): Claim => ({ lower, upper, target });
  test.each([
    { name: 'in proportion to targets', total: 30, claims: [claim(0, 30, 1), claim(0, 30, 2)], seats: [10, 20] },
    { name: 'up to a bound', total: 30, claims: [claim(0, 5, 10), claim(0, 30, 10)], seats: [5, 25] },
    { name: 'from a bound on', total: 30, claims: [claim(20, 30, 20), claim(0, 30, 100)], seats: [20, 10] },
    {
      name: 'the lower bounds where more is not there',
      total: 8,
      claims: [claim(5, 9, 5), claim(5, 9, 5)],
      seats: [5, 5],
    },
    {
      name: 'the upper bounds where more is there',
      total: 40,
      claims: [claim(5, 9, 5), claim(5, 9, 9)],
      seats: [9, 9],
    },
    { name: 'all to the only level that asks', total: 30, claims: [claim(0, 40, 0), claim(0, 40, 30)], seats: [0, 30] },
    { name: 'evenly where none asks', total: 30, claims: [claim(0, 40, 0), claim(0, 40, 0)], seats: [15, 15] },
    { name: 'none where there is none', total: 0, claims: [claim(0, 0, 0)], seats: [0] },
  ])('Seats are given $name', ({ total, claims, seats }) => {
    expect(divideSeats(total, claims).seats.map(Math.round)).toEqual(seats);
  });
});

describe('the demand for seats', () => {
  test('A period has an average, a deviation and a highest value', () => {
    const demand = new SeatDemand(0);
    demand.set(4, 5000);
    demand.endPeriod(10_000);
    expect(demand).toMatchObject({ highWatermark: 4, average: 2, deviation: 2, smoothed: 4 });
  });

  test('A demand falls slowly, and begins a period at what it is', () => {
    const demand = new SeatDemand(0);
    demand.set(10, 0);
    demand.endPeriod(10_000);
    demand.set(0, 10_000);
    demand.endPeriod(20_000);
    expect(demand.highWatermark).toBe(10);
    expect(demand.smoothed).toBeCloseTo(9.77);
    demand.endPeriod(30_000);
    expect(demand.highWatermark).toBe(0);
  });
});
