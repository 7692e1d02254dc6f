package demo

import java.time.Instant

data class Item(
    val name: String,
    val price: Int,
)

class Cart(private val owner: String) {
    private val items = mutableListOf<Item>()
    private var total = 0

    fun add(item: Item, count: Int = 1) {
        require(count > 0) { "count of ${item.name}" }
        if (items.size > 20) {
            throw IllegalStateException("too many items")
        }
        items.add(item)
        total += item.price * count
        log(
            item.name,
            Instant.now(),
        )
    }

    fun size() = when (items.size) {
        0 -> "none"
        else -> "some of $owner"
    }
}
