package text

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/clip"
)

// node is a node of the Atlassian Document Format
// (developer.atlassian.com/cloud/jira/platform/apis/document/structure).
type node struct {
	Type    string `json:"type"`
	Text    string `json:"text"`
	Content []node `json:"content"`
	Marks   []struct {
		Type  string `json:"type"`
		Attrs struct {
			Href string `json:"href"`
		} `json:"attrs"`
	} `json:"marks"`
	Attrs struct {
		Level     int    `json:"level"`
		Language  string `json:"language"`
		Text      string `json:"text"`
		ShortName string `json:"shortName"`
		URL       string `json:"url"`
		State     string `json:"state"`
		Title     string `json:"title"`
		Timestamp string `json:"timestamp"`
	} `json:"attrs"`
}

// FromADF returns a document as Markdown of at most n bytes, and reports whether it was cut. A plain JSON
// string, as in one-line fields, stays unchanged.
func FromADF(raw json.RawMessage, n int) (md string, cut bool) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || string(raw) == "null" {
		return "", false
	}
	var line string
	if json.Unmarshal(raw, &line) == nil {
		return render([]block{{text: line}}, n)
	}
	var doc node
	err := json.Unmarshal(raw, &doc)
	if _, wrongType := errors.AsType[*json.UnmarshalTypeError](err); err != nil && !wrongType {
		return render([]block{{text: undecodedTexts(raw, n)}}, n) // nested deeper than the decoder follows
	}
	return render(doc.childBlocks(0), n)
}

// undecodedTexts returns the texts of a document that cannot be decoded: the values of "text".
func undecodedTexts(raw json.RawMessage, n int) string {
	var b strings.Builder
	d := json.NewDecoder(bytes.NewReader(raw))
	var objects []bool // the open arrays (false) and objects (true)
	key, name := false, ""
	for b.Len() < 2*n {
		t, err := d.Token()
		if err != nil {
			break // the end or invalid JSON: keep the texts so far
		}
		switch x := t.(type) {
		case json.Delim:
			if x == '{' || x == '[' {
				objects = append(objects, x == '{')
			} else {
				objects = objects[:len(objects)-1]
			}
			key = len(objects) > 0 && objects[len(objects)-1]
			continue
		case string:
			if key {
				name, key = x, false
				continue
			}
			if name == "text" {
				b.WriteString(x + " ")
			}
		}
		key = len(objects) > 0 && objects[len(objects)-1]
	}
	return b.String()
}

// childBlocks returns the blocks in a node. Adjacent inline nodes form one paragraph.
func (n node) childBlocks(depth int) []block {
	if depth > 4*maxDepth {
		var b strings.Builder
		n.writePlain(&b, 0)
		return []block{{text: clip.Line(b.String())}}
	}
	var out []block
	var line strings.Builder
	flush := func() {
		if strings.TrimSpace(line.String()) != "" {
			out = append(out, block{text: strings.TrimSpace(line.String())})
		}
		line.Reset()
	}
	for _, c := range n.Content {
		if s, inline := c.inline(); inline {
			line.WriteString(s)
			continue
		}
		flush()
		out = append(out, c.block(depth)...)
	}
	flush()
	return out
}

// writePlain writes the texts of a node and its descendants, down to a depth that is safe for the stack.
func (n node) writePlain(b *strings.Builder, depth int) {
	b.WriteString(n.Text + " ")
	if depth > 10_000 {
		return
	}
	for _, c := range n.Content {
		c.writePlain(b, depth+1)
	}
}

func (n node) block(depth int) []block {
	inside := func() []block { return n.childBlocks(depth + 1) }
	switch n.Type {
	case "heading":
		return []block{{kind: heading, level: n.Attrs.Level, text: plainWords(inside(), 1<<20)}}
	case "bulletList", "orderedList", "taskList", "decisionList":
		return []block{{kind: list, ordered: n.Type == "orderedList", children: n.items(depth)}}
	case "blockquote", "panel":
		return []block{{kind: quote, children: inside()}}
	case "codeBlock":
		var b strings.Builder
		for _, c := range n.Content {
			b.WriteString(c.Text)
		}
		return []block{{kind: code, lang: n.Attrs.Language, text: b.String()}}
	case "expand", "nestedExpand":
		return append([]block{{text: markSpan("**", n.Attrs.Title)}}, inside()...)
	case "table":
		t := block{kind: table}
		for _, r := range n.Content {
			line := block{kind: row}
			for _, c := range r.Content {
				line.children = append(line.children, block{kind: cell, head: c.Type == "tableHeader", children: c.childBlocks(depth + 2)})
			}
			t.children = append(t.children, line)
		}
		return []block{t}
	case "rule":
		return []block{{kind: rule}}
	case "blockCard", "embedCard":
		return []block{{text: writeLink("", n.Attrs.URL)}}
	}
	return inside()
}

// items returns the items of a list. A list directly inside a list, as in task lists, belongs to the
// previous item.
func (n node) items(depth int) []block {
	var out []block
	for _, c := range n.Content {
		if strings.HasSuffix(c.Type, "List") && len(out) > 0 {
			last := &out[len(out)-1]
			last.children = append(last.children, c.block(depth+1)...)
			continue
		}
		it := block{kind: item, children: c.childBlocks(depth + 1)}
		if c.Type == "taskItem" {
			it.check = ' '
			if c.Attrs.State == "DONE" {
				it.check = 'x'
			}
		}
		out = append(out, extractCheckBox(it))
	}
	return out
}

// inline returns the Markdown of an inline node.
func (n node) inline() (string, bool) {
	switch n.Type {
	case "text":
		return n.marked(), true
	case "hardBreak":
		return "\n", true
	case "mention":
		return "@" + strings.TrimPrefix(n.Attrs.Text, "@"), true
	case "emoji":
		if n.Attrs.Text != "" {
			return n.Attrs.Text, true
		}
		return n.Attrs.ShortName, true
	case "inlineCard":
		return writeLink("", n.Attrs.URL), true
	case "status":
		return n.Attrs.Text, true
	case "date":
		ms, err := strconv.ParseInt(n.Attrs.Timestamp, 10, 64)
		if err != nil {
			return "", true // not a date
		}
		return time.UnixMilli(ms).UTC().Format(time.DateOnly), true
	case "mediaInline", "placeholder", "inlineExtension":
		return "", true
	}
	return "", false
}

func (n node) marked() string {
	s := n.Text
	for _, m := range n.Marks {
		switch m.Type {
		case "code":
			s = inlineCode(s)
		case "strong":
			s = markSpan("**", s)
		case "em":
			s = markSpan("*", s)
		case "strike":
			s = markSpan("~~", s)
		case "link":
			s = writeLink(s, m.Attrs.Href)
		}
	}
	return s
}
