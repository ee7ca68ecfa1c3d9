// Starts `cubicle lsp` and connects the editor with it.
'use strict';

const { commands, window, workspace } = require('vscode');
const { LanguageClient } = require('vscode-languageclient/node');

let client;

async function start() {
  const program = workspace.getConfiguration('cubicle').get('path', 'cubicle');
  const server = { command: program, args: ['lsp'] };
  const options = { documentSelector: [{ language: 'cubicle' }] };
  client = new LanguageClient('cubicle', 'Cubicle', server, options);
  try {
    await client.start();
  } catch (error) {
    client = undefined;
    window.showErrorMessage(
      `Cannot start "${program} lsp": ${error.message ?? error}. The setting cubicle.path says where the program is.`,
    );
  }
}

async function stop() {
  const running = client;
  client = undefined;
  await running?.stop();
}

async function activate(context) {
  const restart = commands.registerCommand('cubicle.restart', async () => {
    await stop();
    await start();
  });
  context.subscriptions.push(restart);
  await start();
}

module.exports = { activate, deactivate: stop };
