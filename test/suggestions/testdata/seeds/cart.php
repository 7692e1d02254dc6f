<?php

namespace Demo;

use InvalidArgumentException;

final class Cart
{
    private const LIMIT = 20;
    private array $items = [];
    private int $total = 0;

    public function add(Item $item, int $count = 1): void
    {
        if (count($this->items) > self::LIMIT) {
            throw new InvalidArgumentException('too many items');
        }
        foreach (range(1, $count) as $i) {
            $this->items[] = $item;
            $this->total += $item->price();
        }
        $this->log([
            'name' => $item->name(),
            'count' => $count,
        ]);
    }

    public function total(): int
    {
        return $this->total;
    }
}
