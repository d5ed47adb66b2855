#!/usr/bin/env node
// Plain old syntax on purpose: any Node must be able to read this file and say what it lacks.
'use strict';
var fs = require('fs');
var path = require('path');

var NEEDED = 24;
var root = path.dirname(path.dirname(fs.realpathSync(__filename)));
var entry = path.join(root, 'dist', 'entry.cjs');

function fail(sentence) {
  process.stderr.write(sentence + '\n');
  process.exitCode = 1;
}

function cacheHome() {
  var env = process.env;
  if (env.XDG_CACHE_HOME) return env.XDG_CACHE_HOME;
  if (process.platform === 'win32') return env.LOCALAPPDATA;
  if (!env.HOME) return undefined;
  return path.join(env.HOME, process.platform === 'darwin' ? 'Library/Caches' : '.cache');
}

/** Made one by one: where a file system refuses new folders (/proc), Node would try for ever to make them all. */
function folder(path) {
  try {
    fs.mkdirSync(path, 0o700);
  } catch (_error) {
    return fs.existsSync(path);
  }
  return true;
}

function open() {
  var home = cacheHome();
  var own = home && path.join(home, 'coppice');
  var compiled = home && path.join(own, 'compiled');
  if (home && folder(home) && folder(own) && folder(compiled)) require('module').enableCompileCache(compiled);
  require(entry);
}

/** Runs the same command on the Node that Coppice brought along, passing signals down and the end up. */
function openOn(node) {
  var child = require('child_process').spawn(node, [__filename].concat(process.argv.slice(2)), {
    stdio: 'inherit',
  });
  // A terminal sends Ctrl+C to both processes by itself, anybody else to this one alone: the first one counts there.
  var passed = ['SIGINT', 'SIGQUIT', 'SIGTERM', 'SIGHUP', 'SIGUSR1', 'SIGUSR2'];
  passed.forEach(function (signal) {
    process.on(signal, function () {
      child.kill(signal);
    });
  });
  child.on('error', function (error) {
    fail('Coppice could not start ' + node + ': ' + error.message);
  });
  child.on('exit', function (code, signal) {
    // A terminal that went away cannot be given back: Node would fail on it, the signal itself does not.
    var by = signal || (code === 129 ? 'SIGHUP' : undefined);
    if (!by) process.exit(code);
    process.removeAllListeners(by);
    process.kill(process.pid, by);
  });
}

var own = path.join(root, 'node_modules', 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
if (!fs.existsSync(entry)) fail('Coppice is not built yet: run "npm ci && npm run build" in ' + root + '.');
else if (parseInt(process.versions.node, 10) >= NEEDED) open();
else if (fs.existsSync(own)) openOn(own);
else
  fail(
    'Coppice needs Node ' +
      NEEDED +
      ' or newer, and this is ' +
      process.version +
      ': install it from https://nodejs.org.',
  );
