package sarif

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// scanBatch is how many bytes of texts one call of a scan gets. A batch without a secret needs no further call.
const scanBatch = 16 << 10

// Scan finds the secrets of texts.
type Scan struct {
	MayHold func(text string) bool                        // reports quickly whether a text can have a secret
	Clean   func(ctx context.Context, text string) string // replaces the secrets of a text; its result does not count once ctx ends
}

// Redact returns a plain document without code snippets and without the contents of files. Secret scanners put the bare value there,
// which no rule recognizes. scan replaces the secrets in all other texts and names. The errors are those of [Read].
func Redact(ctx context.Context, plain []byte, l Limits, scan Scan) ([]byte, error) {
	l = l.orDefaults()
	plain = bytes.TrimPrefix(plain, []byte{0xef, 0xbb, 0xbf})
	c := &cleaner{ctx: ctx, scan: scan, clean: map[string]string{}, limits: l}
	if err := c.learn(plain); err != nil {
		return nil, explain(ctx, err)
	}
	if err := c.write(plain); err != nil {
		return nil, explain(ctx, err)
	}
	return c.out.Bytes(), nil
}

// cleaner copies a JSON text.
type cleaner struct {
	ctx    context.Context
	scan   Scan
	limits Limits
	clean  map[string]string // the texts that a scan changes
	out    bytes.Buffer
}

func (c *cleaner) decoder(plain []byte) *json.Decoder {
	d := json.NewDecoder(&guard{ctx: c.ctx, from: bytes.NewReader(plain), bytes: c.limits.Bytes, depth: c.limits.Depth})
	d.UseNumber()
	return d
}

// learn scans the texts of a document in batches.
func (c *cleaner) learn(plain []byte) error {
	d := c.decoder(plain)
	var batch []string
	size := 0
	flush := func() error {
		if len(batch) == 0 {
			return nil
		}
		joined := strings.Join(batch, "\n")
		if c.scan.Clean(c.ctx, joined) != joined {
			for _, text := range batch {
				if clean := c.scan.Clean(c.ctx, text); clean != text {
					c.clean[text] = clean
				}
			}
		}
		batch, size = batch[:0], 0
		return c.ctx.Err()
	}
	last := ""
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return flush()
		}
		if err != nil {
			return err
		}
		text, ok := token.(string)
		if !ok || len(text) < minScanned || text == last || !c.scan.MayHold(text) {
			continue
		}
		last = text
		batch, size = append(batch, text), size+len(text)
		if size > scanBatch {
			if err := flush(); err != nil {
				return err
			}
		}
	}
}

// minScanned is the length of the shortest text that a scan gets. Rules for secrets need more characters.
const minScanned = 8

// hasCode reports whether a property has code of the analysed tree, if its value is an object (artifactContent, section 3.3).
func hasCode(key string) bool { return key == "snippet" || key == "contents" }

// write copies the document.
func (c *cleaner) write(plain []byte) error {
	d := c.decoder(plain)
	if err := c.value(d); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return fmt.Errorf("%w: text follows after the log", ErrInvalid)
	}
	return nil
}

// value copies the next value.
func (c *cleaner) value(d *json.Decoder) error {
	token, err := d.Token()
	if err != nil {
		return err
	}
	return c.from(d, token)
}

// from copies the value that begins with a token.
func (c *cleaner) from(d *json.Decoder, token json.Token) error {
	switch v := token.(type) {
	case json.Delim:
		return c.container(d, v)
	case string:
		return c.text(v)
	case json.Number:
		c.out.WriteString(v.String())
	case bool:
		fmt.Fprint(&c.out, v)
	default:
		c.out.WriteString("null")
	}
	return nil
}

// container copies an object or an array without the properties that have code.
func (c *cleaner) container(d *json.Decoder, open json.Delim) error {
	c.out.WriteString(open.String())
	for first := true; d.More(); {
		mark := c.out.Len()
		if !first {
			c.out.WriteByte(',')
		}
		if open == '[' {
			if err := c.value(d); err != nil {
				return err
			}
			first = false
			continue
		}
		key, err := d.Token()
		if err != nil {
			return err
		}
		name, _ := key.(string)
		if err := c.text(name); err != nil {
			return err
		}
		c.out.WriteByte(':')
		token, err := d.Token()
		if err != nil {
			return err
		}
		if err := c.from(d, token); err != nil {
			return err
		}
		if token == json.Delim('{') && hasCode(name) {
			c.out.Truncate(mark)
			continue
		}
		first = false
	}
	end, err := d.Token()
	if err != nil {
		return err
	}
	fmt.Fprint(&c.out, end)
	return nil
}

// text writes a text without its secrets.
func (c *cleaner) text(s string) error {
	if clean, ok := c.clean[s]; ok {
		s = clean
	}
	e := json.NewEncoder(&c.out)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		return err
	}
	c.out.Truncate(c.out.Len() - 1) // the line break of the encoder
	return nil
}
