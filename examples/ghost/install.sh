# Ghost as it is released. Packages of its own lie in it, so npm cannot install it as a dependency.
set -e
[ -d dist/ghost/node_modules/sqlite3/build ] && exit
mkdir -p dist/ghost
[ -e dist/ghost-5.130.6.tgz ] || npm pack ghost@5.130.6 --pack-destination dist --silent
tar -xzf dist/ghost-5.130.6.tgz -C dist/ghost --strip-components 1
cd dist/ghost
npm pkg delete devDependencies # of which one is a commit on GitHub
npm install --omit=dev --ignore-scripts --legacy-peer-deps --no-audit --no-fund --no-package-lock
# Node brings its header files; without them the compilation would load some.
node=$(node -p 'path.resolve(process.execPath, "../..")')
[ ! -e "$node/include/node/node.h" ] || export npm_config_nodedir="$node"
npm rebuild sqlite3 # the only package that it needs compiled, where no binary can be had
