defmodule Demo.Cart do
  @limit 20

  def new(owner) do
    %{
      owner: owner,
      items: [],
      total: 0
    }
  end

  def add(cart, item) do
    if length(cart.items) > @limit do
      raise ArgumentError, "too many items"
    else
      %{cart | items: [item | cart.items]}
    end
  end

  def names(cart) do
    Enum.map(cart.items, fn item ->
      String.upcase(item.name)
    end)
  end
end
