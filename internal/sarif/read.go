package sarif

import (
	"cmp"
	"compress/flate"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Read reads a SARIF log, plain or packed with gzip. It reads to the end, so that a document that is cut off is not taken for a
// whole one. An error wraps [ErrTooLarge], [ErrInvalid], the context's error, or that of the reader.
func Read(ctx context.Context, r io.Reader, l Limits) (Document, error) {
	l = l.orDefaults()
	text, err := open(r)
	if err != nil {
		return Document{}, err
	}
	in := &reader{limits: l, left: l.Results,
		json: json.NewDecoder(&guard{ctx: ctx, from: text, bytes: l.Bytes, depth: l.Depth})}
	if err := in.log(); err != nil {
		return Document{}, explain(ctx, err)
	}
	return in.out, nil
}

func (l Limits) orDefaults() Limits {
	d := DefaultLimits()
	return Limits{Bytes: cmp.Or(l.Bytes, d.Bytes), Depth: cmp.Or(l.Depth, d.Depth), Runs: cmp.Or(l.Runs, d.Runs),
		Results: cmp.Or(l.Results, d.Results), Rules: cmp.Or(l.Rules, d.Rules), Steps: cmp.Or(l.Steps, d.Steps)}
}

// explain returns the error of a reader in a form for people, without text of the document.
func explain(ctx context.Context, err error) error {
	var syntax *json.SyntaxError
	var corrupt flate.CorruptInputError
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, ErrTooLarge), errors.Is(err, ErrInvalid):
		return err
	case errors.As(err, &syntax):
		return fmt.Errorf("%w: byte %d breaks the grammar of JSON", ErrInvalid, syntax.Offset)
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return fmt.Errorf("%w: it ends too early", ErrInvalid)
	case errors.Is(err, gzip.ErrChecksum), errors.Is(err, gzip.ErrHeader), errors.As(err, &corrupt):
		return fmt.Errorf("%w: its gzip stream is damaged", ErrInvalid)
	}
	return fmt.Errorf("the SARIF document cannot be read: %w", err)
}

// reader reads one log.
type reader struct {
	limits Limits
	json   *json.Decoder
	left   int // results that may still be kept
	out    Document
}

func (in *reader) log() error {
	version, runs := "", false
	err := in.object("log", func(key string) error {
		switch key {
		case "version":
			return in.value(&version)
		case "runs":
			runs = true
			return in.array("runs", in.run)
		}
		return in.skip()
	})
	if err != nil {
		return err
	}
	if _, err := in.json.Token(); !errors.Is(err, io.EOF) {
		return cmp.Or(err, fmt.Errorf("%w: text follows after the log", ErrInvalid))
	}
	if !strings.HasPrefix(version, "2.1.") {
		return fmt.Errorf("%w: the property version must be 2.1.0", ErrInvalid)
	}
	if !runs {
		return fmt.Errorf("%w: the property runs is missing", ErrInvalid)
	}
	if len(in.out.Runs) == 0 && len(in.out.Broken) > 0 {
		return fmt.Errorf("%w: every run must be an object with a list of results", ErrInvalid)
	}
	return nil
}

// run reads a run. A broken run is recorded, so that the others count.
func (in *reader) run() error {
	at := len(in.out.Runs) + len(in.out.Broken)
	if at == in.limits.Runs {
		in.out.CutRuns++
		return in.skip()
	}
	var w wireRun
	broken := true // null, or without properties
	err := in.object("run", func(key string) error {
		broken = false
		switch key {
		case "tool":
			return in.value(&w.tool)
		case "originalUriBaseIds":
			return in.value(&w.bases)
		case "artifacts":
			return in.value(&w.artifacts)
		case "invocations":
			return in.value(&w.invocations)
		case "results":
			err := in.array("results", func() error { return in.result(&w) })
			w.shapeless = w.shapeless || errors.Is(err, errShape)
			return unlessShape(err)
		}
		return in.skip()
	})
	switch {
	case unlessShape(err) != nil:
		return err
	case err != nil, broken, w.shapeless:
		in.left += len(w.results)
		in.out.Broken = append(in.out.Broken, at)
	default:
		in.out.Runs = append(in.out.Runs, w.run(in.limits))
	}
	return nil
}

// errShape reports a value that is not an object or an array as the format wants it. The value was read to its end.
var errShape = fmt.Errorf("%w", ErrInvalid)

// unlessShape returns an error that is not about the shape of one value.
func unlessShape(err error) error {
	if errors.Is(err, errShape) {
		return nil
	}
	return err
}

// result reads a result. One beyond the limit is only counted.
func (in *reader) result(w *wireRun) error {
	if in.left == 0 {
		w.cut++
		return in.skip()
	}
	var r wireResult
	switch err := in.json.Decode(&r); {
	case isFatal(err):
		return err
	case err != nil:
		w.broken++
	default:
		in.left--
		w.results = append(w.results, r.clipped(in.limits))
	}
	return nil
}

// object calls fn for each key of an object. fn reads the value. null counts as an empty object.
func (in *reader) object(name string, fn func(key string) error) error {
	return in.each(json.Delim('{'), name+" must be an object", func() error {
		key, err := in.json.Token()
		if err != nil {
			return err
		}
		text, _ := key.(string)
		return fn(text)
	})
}

// array calls fn for each entry of an array. fn reads the entry. null counts as an empty array.
func (in *reader) array(name string, fn func() error) error {
	return in.each(json.Delim('['), name+" must be an array", fn)
}

func (in *reader) each(open json.Delim, otherwise string, fn func() error) error {
	start, err := in.json.Token()
	if err != nil {
		return err
	}
	if start == nil {
		return nil
	}
	if start != open {
		if err := in.drain(start); err != nil {
			return err
		}
		return fmt.Errorf("%w: %s", errShape, otherwise)
	}
	for in.json.More() {
		if err := fn(); err != nil {
			return err
		}
	}
	_, err = in.json.Token()
	return err
}

// drain reads the rest of the value that begins with a token.
func (in *reader) drain(start json.Token) error {
	_, inside := start.(json.Delim)
	for depth := 1; inside && depth > 0; {
		token, err := in.json.Token()
		if err != nil {
			return err
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
	}
	return nil
}

// value decodes a value. Parts of another type than expected stay empty.
func (in *reader) value(to any) error {
	if err := in.json.Decode(to); isFatal(err) {
		return err
	}
	return nil
}

func (in *reader) skip() error { return in.value(&struct{}{}) }
