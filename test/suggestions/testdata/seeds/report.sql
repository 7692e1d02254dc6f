CREATE TABLE items (
    id integer PRIMARY KEY,
    name text NOT NULL,
    price integer DEFAULT 0
);

INSERT INTO items (id, name, price)
VALUES
    (1, 'first', 20),
    (2, 'second', 30);

SELECT
    name,
    price,
    CASE
        WHEN price > 20 THEN 'dear'
        ELSE 'cheap'
    END AS class
FROM items
WHERE price > 0
ORDER BY name;

UPDATE items SET price = 1 WHERE id = 2;
