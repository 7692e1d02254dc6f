package demo;

import java.util.ArrayList;
import java.util.List;

public class Cart {
    private static final int LIMIT = 20;
    private final List<Item> items = new ArrayList<>();
    private int total;

    public Cart(String owner) {
        this.total = 0;
        log(owner, "created");
    }

    @Override
    public String toString() {
        return "cart of " + items.size();
    }

    public void add(Item item, int count) {
        if (items.size() > LIMIT) {
            throw new IllegalStateException("too many items");
        }
        for (int i = 0; i < count; i++) {
            items.add(item);
            total += item.price();
        }
        log(
            item.name(),
            "added");
    }
}
