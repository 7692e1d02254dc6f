# frozen_string_literal: true

require "set"

class Cart
  attr_reader :items, :total

  LIMIT = 20

  def initialize(owner, items = [])
    @owner = owner
    @items = items
    @total = 0
  end

  def add(item, count: 1)
    return if item.nil?

    if @items.size > LIMIT
      raise ArgumentError, "too many items"
    else
      @items << item
    end
    @total += item.price * count
  end

  def summary
    lines = @items.map do |item|
      "#{item.name}: #{item.price}"
    end
    {
      owner: @owner,
      lines: lines,
      total: @total
    }
  end
end
