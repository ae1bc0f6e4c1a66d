# What hack/up and hack/test do first: see that Node is new enough, install npm packages when they are missing or other
# ones than package-lock.json says, and build. Sourced by them, with $root set to the checkout.

fail() {
  echo "error: $1" >&2
  exit 1
}

# The least version is that of "engines" in package.json. The check is written so that any Node can read it.
check_node() {
  command -v node >/dev/null 2>&1 || fail "Node.js is needed, version 20.19 or newer: https://nodejs.org/en/download"
  command -v npm >/dev/null 2>&1 || fail "npm is needed; it comes with Node.js: https://nodejs.org/en/download"
  node -e '
    var want = require(process.argv[1]).engines.node.replace(/[^0-9.]/g, "").split(".").map(Number);
    var have = process.versions.node.split(".").map(Number);
    process.exit(have[0] > want[0] || (have[0] === want[0] && have[1] >= want[1]) ? 0 : 1);
  ' "$root/package.json" || fail "Node.js 20.19 or newer is needed, this is $(node --version): https://nodejs.org/en/download"
}

install_packages() {
  if node "$root/hack/lib/packages-installed.mjs"; then return; fi
  echo "Installing npm packages (once)…" >&2
  # Nothing here needs what packages do when they are installed; what some would compile is optional.
  (cd "$root" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error) >&2 || fail "npm ci failed: see above; with a network problem, try again"
}

build() {
  node "$root/hack/build.mjs" || fail "the build failed: see above"
}
