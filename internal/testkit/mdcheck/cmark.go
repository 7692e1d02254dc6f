package mdcheck

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
)

// Cmark checks many texts with one run of cmark-gfm, GitHub's parser, and returns the forbidden things in each
// text, by its number. The texts are in one document, separated by headings: if a text swallows what follows
// it, its heading is missing.
func Cmark(ctx context.Context, texts []string, a Allowed) (map[int][]string, error) {
	var in bytes.Buffer
	for i, t := range texts {
		fmt.Fprintf(&in, "%s\n\n# text %d ends\n\n", t, i)
	}
	cmd := exec.CommandContext(ctx, "cmark-gfm", "-t", "xml", "-e", "table", "-e", "strikethrough", "-e", "autolink", "-e", "tasklist",
		"-e", "footnotes")
	cmd.Stdin = &in
	out, err := cmd.Output()
	if errors.Is(err, exec.ErrNotFound) {
		return nil, fmt.Errorf("cmark-gfm is absent (make test installs it; Debian: apt-get install cmark-gfm): %w", err)
	}
	if err != nil {
		return nil, fmt.Errorf("cmark-gfm: %w", err)
	}
	out = bytes.ReplaceAll(out, []byte("<unknown>"), []byte("footnote")) // the XML of cmark-gfm does not name footnotes
	found, err := read(bytes.NewReader(out), len(texts), a)
	for i, t := range texts {
		if p := Raw(t); len(p) > 0 {
			found[i] = append(found[i], p...)
		}
	}
	return found, err
}

// pages reads the parser's XML, one page for each text.
type pages struct {
	Allowed
	page
	at      int // the current text
	heading string
	found   map[int][]string
}

func read(r io.Reader, n int, a Allowed) (map[int][]string, error) {
	d := xml.NewDecoder(r)
	d.Strict = true
	p := &pages{Allowed: a, page: page{Allowed: a}, found: map[int][]string{}}
	for {
		tok, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return p.found, fmt.Errorf("the XML of cmark-gfm, in text %d: %w", p.at, err)
		}
		switch tok := tok.(type) {
		case xml.StartElement:
			if err := p.start(d, tok); err != nil {
				return p.found, err
			}
		case xml.EndElement:
			p.endOf(tok.Name.Local)
		}
	}
	if p.at != n {
		p.found[p.at] = append(p.found[p.at], fmt.Sprintf("swallows what follows: %d of %d ends were seen", p.at, n))
	}
	return p.found, nil
}

func attr(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// start handles the beginning of an element; it reads elements with text to their end.
func (p *pages) start(d *xml.Decoder, e xml.StartElement) error {
	name := e.Name.Local
	text := ""
	switch name {
	case "text", "code", "code_block", "html_block", "html_inline":
		if err := d.DecodeElement(&text, &e); err != nil {
			return fmt.Errorf("the XML of cmark-gfm, in text %d: %w", p.at, err)
		}
	}
	switch name {
	case "document", "paragraph", "list", "item":
	case "heading":
		p.heading = "#"
	case "text":
		p.words.WriteString(text)
		if p.heading != "" {
			p.heading += text
		}
	case "code", "code_block":
		p.words.WriteByte(0)
	case "softbreak", "linebreak":
		p.words.WriteByte('\n')
	case "html_block", "html_inline":
		p.html(text)
	case "strong", "strikethrough", "thematic_break":
		p.framed(name)
	case "table", "table_header", "table_row", "table_cell":
		p.table(strings.ReplaceAll(name, "_", " "))
	case "link":
		p.address("link", attr(e, "destination"))
	default:
		p.problem("%s", strings.ReplaceAll(name, "_", " "))
	}
	return nil
}

func (p *pages) endOf(name string) {
	switch name {
	case "table", "paragraph", "item":
		p.words.WriteByte('\n')
	case "heading":
		if p.heading != fmt.Sprintf("#text %d ends", p.at) {
			p.problem("heading %q", p.heading)
			p.heading = ""
			return
		}
		p.heading = ""
		if problems := p.end(); len(problems) > 0 {
			p.found[p.at] = problems
		}
		p.page = page{Allowed: p.Allowed}
		p.at++
	}
}
