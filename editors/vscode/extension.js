// Starts `gentool lsp` and connects the editor with it.

const { commands, window, workspace } = require('vscode');
const { LanguageClient } = require('vscode-languageclient/node');

let client;
// Starts and stops, one after the other: a server that is being started is not stopped before it runs.
let last = Promise.resolve();

function settings() {
    const { roots, define, profile, coverage } = workspace.getConfiguration('isac');
    return { roots, define, profile, coverage };
}

async function start() {
    const command = workspace.getConfiguration('isac').get('server') || 'gentool';
    const server = { command, args: ['lsp'] };
    client = new LanguageClient('isac', 'ISAC', server, {
        documentSelector: [{ scheme: 'file', language: 'isac' }],
        initializationOptions: settings(),
        synchronize: { fileEvents: workspace.createFileSystemWatcher('**/*.isac') },
    });
    try {
        await client.start();
    } catch (error) {
        window.showErrorMessage(`${command} lsp cannot be started: ${error.message}. Set isac.server to the path of gentool.`);
    }
}

async function stop() {
    const ended = client;
    client = undefined;
    if (ended && ended.isRunning()) {
        await ended.stop();
    }
}

function restart() {
    last = last.then(stop).then(start);
    return last;
}

exports.activate = async function (context) {
    context.subscriptions.push(
        commands.registerCommand('isac.restart', restart),
        workspace.onDidChangeConfiguration(async (change) => {
            if (change.affectsConfiguration('isac.server')) {
                await restart();
            } else if (change.affectsConfiguration('isac') && client && client.isRunning()) {
                await client.sendNotification('workspace/didChangeConfiguration', { settings: settings() });
            }
        }),
    );
    await restart();
};

exports.deactivate = function () {
    last = last.then(stop);
    return last;
};
