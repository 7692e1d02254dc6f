local Stack = {}
Stack.__index = Stack

local limit = 20

function Stack.new(name)
  local self = {
    name = name,
    items = {},
  }
  return setmetatable(self, Stack)
end

function Stack:push(item, count)
  if #self.items > limit then
    error("too many items")
  end
  for i = 1, count do
    table.insert(self.items, item)
  end
  print(self.name, count)
end

return Stack
