package diff

import (
	"bytes"
	"encoding/json"
	"path"
	"strings"

	"github.com/assay-dev/assay/internal/regexp"
)

// IsNotebook reports whether a path has the extension of a Jupyter notebook.
func IsNotebook(name string) bool { return strings.EqualFold(path.Ext(name), ".ipynb") }

// Cells holds the lines of a notebook's cells.
type Cells struct {
	Lines  []string // one per line of the file; "" if the line is not shown
	Hidden []bool   // of the same length: whether the line has an output, an attachment or metadata that is not shown
}

// Notebook returns the code and prose of a notebook's cells, and their outputs that run when displayed:
// HTML, JavaScript and SVG. It returns false if the content is not a notebook, or if the file does not have
// a separate line for each line of its cells.
func Notebook(content []byte) (Cells, bool) {
	size := bytes.Count(content, []byte{'\n'}) + 1
	n := notebook{dec: json.NewDecoder(bytes.NewReader(content)), content: content, cells: Cells{make([]string, size), make([]bool, size)}}
	if !n.read() {
		return Cells{}, false
	}
	return n.cells, true
}

// notebook is the state of the parser of a notebook.
type notebook struct {
	dec     *json.Decoder
	content []byte
	cells   Cells
	at      int64 // offset up to which lines are counted
	line    int
	stack   []level
	found   bool
}

// level is an object or an array that contains the current token.
type level struct {
	array   bool
	key     string // of an object, if a value comes next
	pending bool
}

// read parses all tokens. It returns false if a line would need two texts.
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

// value records that the value of the current key has begun.
func (n *notebook) value() {
	if top := n.top(); top != nil {
		top.pending = false
	}
}

// text stores a string on its line if it belongs to a cell or to an output that runs.
func (n *notebook) text(s string) bool {
	if len(n.stack) < 2 {
		return true
	}
	place := make([]string, len(n.stack))
	for i, l := range n.stack {
		place[i] = l.key
		if l.array {
			place[i] = "[]"
		}
	}
	at := strings.Join(place, ".")
	switch {
	case at == "cells.[].cell_type":
		s = "# cell: " + s
	case at == "cells.[].source.[]", runningOutput.MatchString(at) && strings.HasSuffix(at, "[]"):
		s = strings.TrimSuffix(s, "\n")
	case at == "cells.[].source", runningOutput.MatchString(at):
		if strings.Contains(s, "\n") {
			if at == "cells.[].source" {
				return false
			}
			s = strings.ReplaceAll(s, "\n", " ")
		}
	default:
		if hiddenPart.MatchString(at) {
			n.cells.Hidden[n.advance()] = true
		}
		return true
	}
	line := n.advance()
	if n.cells.Lines[line] != "" || strings.ContainsAny(s, "\r\n") {
		return false
	}
	n.cells.Lines[line], n.found = s, n.found || place[0] == "cells"
	return true
}

var (
	runningOutput = regexp.MustCompile(`^cells\.\[\]\.outputs\.\[\]\.data\.(text/html|text/markdown|text/latex|image/svg\+xml|` +
		`application/(x-)?(java|ecma)script)(\.\[\])?$`)
	hiddenPart = regexp.MustCompile(`^(cells\.\[\]\.(outputs|attachments|metadata)\.|metadata\.)`)
)

// advance returns the line on which the last token ends.
func (n *notebook) advance() int {
	end := n.dec.InputOffset()
	n.line += bytes.Count(n.content[n.at:end], []byte{'\n'})
	n.at = end
	return n.line
}
