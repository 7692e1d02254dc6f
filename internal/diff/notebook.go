package diff

import (
	"bytes"
	"encoding/json"
	"path"
	"strings"
)

// IsNotebook reports whether a path is that of a Jupyter notebook.
func IsNotebook(name string) bool { return strings.EqualFold(path.Ext(name), ".ipynb") }

// Notebook returns the code and the prose of a notebook's cells, each line on the line of the
// file that holds it; all other lines, such as outputs, are empty. It returns false for what is
// not a notebook with a line of its own for each line of its cells.
func Notebook(content []byte) ([]byte, bool) {
	lines := make([]string, bytes.Count(content, []byte{'\n'})+1)
	n := notebook{dec: json.NewDecoder(bytes.NewReader(content)), content: content, lines: lines}
	if !n.read() {
		return nil, false
	}
	return []byte(strings.Join(lines, "\n")), true
}

// notebook is a notebook that is read.
type notebook struct {
	dec     *json.Decoder
	content []byte
	lines   []string
	at      int64 // offset up to which lines were counted
	line    int
	stack   []level
	found   bool
}

// level is an object or an array that the reader is in.
type level struct {
	array   bool
	key     string // of an object, where a value comes next
	pending bool
}

// read walks over the tokens; false where a line would hold two.
func (n *notebook) read() bool {
	for {
		token, err := n.dec.Token()
		if err != nil {
			return n.found && len(n.stack) == 0
		}
		switch t := token.(type) {
		case json.Delim:
			switch t {
			case '{', '[':
				n.value()
				n.stack = append(n.stack, level{array: t == '['})
			default:
				n.stack = n.stack[:len(n.stack)-1]
			}
		case string:
			if top := n.top(); top != nil && !top.array && !top.pending {
				top.key, top.pending = t, true
				continue
			}
			if !n.text(t) {
				return false
			}
			n.value()
		default:
			n.value()
		}
	}
}

func (n *notebook) top() *level {
	if len(n.stack) == 0 {
		return nil
	}
	return &n.stack[len(n.stack)-1]
}

// value says that the value of a key has come.
func (n *notebook) value() {
	if top := n.top(); top != nil {
		top.pending = false
	}
}

// text puts a string on its line, if it is one of a cell.
func (n *notebook) text(s string) bool {
	if len(n.stack) < 3 || n.stack[0].key != "cells" || !n.stack[1].array {
		return true
	}
	cell := n.stack[2]
	switch {
	case len(n.stack) == 3 && cell.key == "cell_type":
		s = "# cell: " + s
	case len(n.stack) == 4 && cell.key == "source" && n.stack[3].array:
		s = strings.TrimSuffix(s, "\n")
	case len(n.stack) == 3 && cell.key == "source":
		if strings.Contains(s, "\n") {
			return false
		}
	default:
		return true
	}
	end := n.dec.InputOffset()
	n.line += bytes.Count(n.content[n.at:end], []byte{'\n'})
	n.at = end
	if n.lines[n.line] != "" || strings.ContainsAny(s, "\r\n") {
		return false
	}
	n.lines[n.line], n.found = s, true
	return true
}
