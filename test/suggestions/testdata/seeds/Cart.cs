using System;
using System.Collections.Generic;

namespace Demo
{
    public class Cart
    {
        private const int Limit = 20;
        private readonly List<Item> items = new List<Item>();

        [Obsolete]
        public string Owner { get; set; } = "nobody";

        public void Add(Item item, int count)
        {
            if (items.Count > Limit)
            {
                throw new InvalidOperationException("too many items");
            }
            for (var i = 0; i < count; i++)
            {
                items.Add(item);
                Total += item.Price;
            }
            Log(
                item.Name,
                $"added {count}");
        }

        public int Total { get; private set; }
    }
}
