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
	return nil
}

func (in *reader) run() error {
	if len(in.out.Runs) == in.limits.Runs {
		in.out.CutRuns++
		return in.skip()
	}
	var w wireRun
	err := in.object("run", func(key string) error {
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
			return in.array("results", func() error { return in.result(&w) })
		}
		return in.skip()
	})
	if err == nil {
		in.out.Runs = append(in.out.Runs, w.run(in.limits))
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
		return fmt.Errorf("%w: %s", ErrInvalid, otherwise)
	}
	for in.json.More() {
		if err := fn(); err != nil {
			return err
		}
	}
	_, err = in.json.Token()
	return err
}

// value decodes a value. Parts of another type than expected stay empty.
func (in *reader) value(to any) error {
	if err := in.json.Decode(to); isFatal(err) {
		return err
	}
	return nil
}

func (in *reader) skip() error { return in.value(&struct{}{}) }
