-- KEYS[2] line. Gives hash, state, since, status, body; or nothing.
local line = line_of(KEYS[2])
if not line then
    return {}
end
return {line[1], line[2], line[3], line[7] or '', line[8] or ''}
