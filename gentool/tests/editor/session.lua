-- What somebody does in Neovim: opens a description, breaks and mends it, looks around, gives an operation
-- another name, lays the file out. Prints what is seen; everything is waited for, nothing for a time.

local folder, gentool = vim.env.FOLDER, vim.env.GENTOOL
local lines = {}
local function say(text)
  table.insert(lines, text)
end
local function finish(status)
  vim.fn.writefile(lines, folder .. '/seen')
  vim.cmd(status == 0 and 'qall!' or 'cquit')
end

-- A step that fails ends the session, with what was seen up to there.
local function step(name, action)
  local ok, problem = pcall(action)
  if not ok then
    say(name .. ' FAILED: ' .. tostring(problem))
    finish(1)
  end
end

local function wait_for(what, condition)
  if not vim.wait(60000, condition, 10) then
    error('waited in vain for ' .. what)
  end
end

local client
local function open(name)
  vim.cmd('edit ' .. folder .. '/' .. name)
  vim.bo.filetype = 'isac'
  local buffer = vim.api.nvim_get_current_buf()
  client = client or vim.lsp.start_client({
    name = 'isac',
    cmd = { gentool, 'lsp' },
    root_dir = folder,
    workspace_folders = { { uri = vim.uri_from_fname(folder), name = 'models' } },
    init_options = { profile = 'run.profile' },
  })
  vim.lsp.buf_attach_client(buffer, client)
  wait_for('the server', function() return vim.lsp.buf_get_clients(buffer)[client] ~= nil end)
  return buffer
end

local function findings(buffer)
  local found = {}
  for _, finding in ipairs(vim.diagnostic.get(buffer)) do
    table.insert(found, string.format('%d:%d %s %s', finding.lnum + 1, finding.col + 1, finding.code,
      vim.split(finding.message, '\n')[1]))
  end
  return found
end

local function ask(method, params)
  local answers = vim.lsp.buf_request_sync(0, method, params, 60000) or {}
  local answer = answers[client] or {}
  if answer.err then
    error(answer.err.message)
  end
  return answer.result
end

local function cursor_at(letters)
  local line = vim.fn.search('\\V' .. letters, 'cw')
  assert(line > 0, letters .. ' is in the text')
end

local buffer
step('open', function()
  buffer = open('part.isac')
  say('opened: ' .. #findings(buffer) .. ' findings')
end)

step('break', function()
  vim.api.nvim_buf_set_lines(buffer, 5, 6, false, { '    BEHAVIOR { accu = acc + value; };' })
  wait_for('a finding', function() return #findings(buffer) > 0 end)
  say('broken: ' .. table.concat(findings(buffer), ' | '))
end)

step('mend', function()
  vim.api.nvim_buf_set_lines(buffer, 5, 6, false, { '    BEHAVIOR { acc = acc + value; };' })
  wait_for('no finding', function() return #findings(buffer) == 0 end)
  say('mended')
end)

step('hover', function()
  cursor_at('add')
  local hover = ask('textDocument/hover', vim.lsp.util.make_position_params())
  say('hover: ' .. hover.contents.value:match('CODING[^\n]*'))
  wait_for('the checks', function()
    hover = ask('textDocument/hover', vim.lsp.util.make_position_params())
    return hover.contents.value:match('runs[^\n]*') ~= nil
  end)
  say('hover: ' .. hover.contents.value:match('runs[^\n]*'))
end)

step('decode', function()
  cursor_at('0x05')
  local hover = ask('textDocument/hover', vim.lsp.util.make_position_params())
  say('decode: ' .. hover.contents.value:match('as [^\n]*'))
end)

step('coverage', function()
  local lenses = ask('textDocument/codeLens', { textDocument = vim.lsp.util.make_text_document_params() })
  for _, lens in ipairs(lenses) do
    say('coverage: line ' .. lens.range.start.line + 1 .. ' ' .. lens.command.title)
  end
end)

step('definition', function()
  cursor_at('acc = acc')
  vim.lsp.buf.definition()
  wait_for('the definition', function() return vim.fn.expand('%:t') == 'cpu.isac' end)
  wait_for('the place', function() return vim.fn.getline('.'):find('REGISTER') ~= nil end)
  say('definition: ' .. vim.fn.expand('%:t') .. ' ' .. vim.trim(vim.fn.getline('.')))
  vim.cmd('buffer ' .. buffer)
end)

step('rename', function()
  cursor_at('add')
  vim.lsp.buf.rename('plus')
  local other = vim.fn.bufnr(folder .. '/cpu.isac')
  wait_for('the new name here', function() return vim.fn.getline(1):find('OPERATION plus') ~= nil end)
  wait_for('the new name there', function()
    return table.concat(vim.api.nvim_buf_get_lines(other, 0, -1, false), '\n'):find('instr = plus, stop') ~= nil
  end)
  say('renamed: ' .. #findings(buffer) .. ' findings')
end)

step('format', function()
  vim.api.nvim_buf_set_lines(buffer, 1, 2, false, { '          // An addition.', '  ASSEMBLER { "add" value=#U };' })
  vim.lsp.buf.formatting_sync(nil, 60000)
  vim.list_extend(lines, vim.api.nvim_buf_get_lines(buffer, 0, -1, false))
end)

step('save', function()
  vim.cmd('wall')
  finish(0)
end)
