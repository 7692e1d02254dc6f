package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"

	"github.com/assay-dev/assay/internal/review/sast"
	"github.com/assay-dev/assay/internal/sarif"
)

// maxSarifFiles bounds the files of --sarif (a design choice).
const maxSarifFiles = 20

// analyses reads the files of --sarif.
func (r *reviewCmd) analyses(ctx context.Context) (out []sast.Input, err error) {
	if len(r.Sarif) > maxSarifFiles {
		return nil, fmt.Errorf("--sarif: a review takes at most %d files, and %d are given", maxSarifFiles, len(r.Sarif))
	}
	for _, path := range r.Sarif {
		raw, err := readFile(ctx, path, int(sarif.DefaultLimits().Bytes))
		if err != nil {
			return nil, fmt.Errorf("--sarif: %w", err)
		}
		doc, err := sarif.Read(ctx, bytes.NewReader(raw), sarif.Limits{})
		if err != nil {
			return nil, fmt.Errorf("--sarif: %s: %w", printable(path), err)
		}
		out = append(out, sast.Input{Source: sast.SourceFile, Document: doc})
	}
	return out, nil
}

// readFile reads a file of at most so many bytes. It returns early when the context ends, because a named pipe may have no writer.
func readFile(ctx context.Context, path string, most int) ([]byte, error) {
	var raw []byte
	read := make(chan error, 1)
	go func() {
		f, err := os.Open(path)
		if err == nil {
			raw, err = io.ReadAll(io.LimitReader(f, int64(most)+1))
			_ = f.Close() // it was only read
		}
		read <- err
	}()
	select {
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case err := <-read:
		if err != nil {
			return nil, err
		}
	}
	if len(raw) > most {
		return nil, fmt.Errorf("%s has more than %d bytes", printable(path), most)
	}
	return raw, nil
}
