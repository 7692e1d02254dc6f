// Package prefix simulates how providers keep the beginnings of prompts, in both ways
// that they have: by what texts with one key have in common, and by beginnings that the
// caller marks. It counts bytes, and knows no dialect.
package prefix

import "sync"

// most is how many texts and beginnings are kept of a key; the oldest go.
const most = 1000

// Cache keeps beginnings. The zero value is empty; it is safe for concurrent use.
type Cache struct {
	mu     sync.Mutex
	texts  map[string][]string
	marked map[string][]string
}

// Common returns how many bytes a text begins with that an earlier one of the key began
// with, too, and keeps the text.
func (c *Cache) Common(key, text string) (read int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, earlier := range c.texts[key] {
		n := 0
		for n < min(len(earlier), len(text)) && earlier[n] == text[n] {
			n++
		}
		read = max(read, n)
	}
	if c.texts == nil {
		c.texts = map[string][]string{}
	}
	c.texts[key] = keep(c.texts[key], text)
	return read
}

// Marked returns how long the longest of the marked beginnings of a text is that was
// kept before, and how much more is kept now. Beginnings of at least so many bytes are
// kept; ends are where they end, in ascending order.
func (c *Cache) Marked(key, text string, least int, ends ...int) (read, written int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.marked == nil {
		c.marked = map[string][]string{}
	}
	for _, end := range ends {
		beginning := text[:min(end, len(text))]
		if len(beginning) < least {
			continue
		}
		known := false
		for _, kept := range c.marked[key] {
			known = known || kept == beginning
		}
		if known {
			read, written = len(beginning), 0
			continue
		}
		c.marked[key] = keep(c.marked[key], beginning)
		written = len(beginning) - read
	}
	return read, written
}

func keep(list []string, text string) []string {
	list = append(list, text)
	return list[max(len(list)-most, 0):]
}
