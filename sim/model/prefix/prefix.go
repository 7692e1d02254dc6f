// Package prefix simulates how providers cache the beginnings of prompts, in both ways: by the common
// beginning of texts with one key, and by beginnings that the caller marks. It counts bytes, and is
// independent of dialects.
package prefix

import "sync"

// maxEntries bounds the texts and beginnings that are kept per key; the oldest are dropped.
const maxEntries = 1000

// Cache keeps beginnings. The zero value is empty. It is safe for concurrent use.
type Cache struct {
	mu     sync.Mutex
	texts  map[string][]string
	marked map[string][]string
}

// Common returns the length in bytes of the longest beginning that a text shares with an earlier text of the
// key, and keeps the text.
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

// Marked returns the length of the longest marked beginning of a text that was kept before, and the length
// that is added now. It keeps beginnings of at least least bytes; ends are their end positions, ascending.
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
	return list[max(len(list)-maxEntries, 0):]
}
