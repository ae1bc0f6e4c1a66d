# The program in a container: `docker build -t orch . && docker run --name orch -p 127.0.0.1:6443:6443 -v orch:/var/lib/orch orch`.
# The administrator's kubeconfig: `docker cp orch:/var/lib/orch/admin.kubeconfig .`

FROM node:22-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY . .
RUN npm run build && npm prune --omit=dev --ignore-scripts

FROM node:22-slim
ENV NODE_ENV=production
WORKDIR /app
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY package.json LICENSE ./
COPY bin bin
# The data belongs to the unprivileged user that the base image brings.
RUN install -d -o node -g node -m 700 /var/lib/orch
USER node
VOLUME /var/lib/orch
EXPOSE 6443
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s CMD ["node", "bin/healthcheck.js"]
ENTRYPOINT ["bin/orch"]
CMD ["up", "--bind-address=0.0.0.0", "--data-dir=/var/lib/orch"]
