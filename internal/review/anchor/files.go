package anchor

import (
	"bytes"
	"context"
	"sync"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/structure"
)

// maxKept bounds the prepared files that [Files] keeps, in lines. 64 bytes of a file count as one more
// line, and the prepared form of a line takes about 130 bytes. Files beyond the bound are prepared for
// every question.
const maxKept = 1_000_000

// Files reads through another source and keeps the prepared form of each version of a file, so that it is
// split and parsed once instead of for every finding. The functions of this package use it when they get
// one as their source. It is safe for concurrent use.
type Files struct {
	Source

	mu       sync.Mutex
	room     int // lines that may still be kept
	texts    map[string]*text
	outlines map[string]*structure.Outline
}

// NewFiles returns a reader of the files of one change.
func NewFiles(src Source) *Files {
	return &Files{Source: src, room: maxKept, texts: map[string]*text{}, outlines: map[string]*structure.Outline{}}
}

// text prepares a version of a file. Errors are those of the source.
func (c *Files) text(ctx context.Context, side domain.Side, path string) (*text, error) {
	return prepared(ctx, c, c.texts, string(side)+":"+path, side, path, newText)
}

// Outline reads the parts of a version of a file. Errors are those of the source.
func (c *Files) Outline(ctx context.Context, side domain.Side, path, language string) (*structure.Outline, error) {
	return prepared(ctx, c, c.outlines, language+":"+string(side)+":"+path, side, path,
		func(b []byte) *structure.Outline { return structure.Read(language, b) })
}

// prepared returns the kept form of a version of a file, or makes it and keeps it while there is room.
func prepared[T any](ctx context.Context, c *Files, kept map[string]*T, key string, side domain.Side, path string,
	prepare func([]byte) *T) (*T, error) {
	c.mu.Lock()
	made := kept[key]
	c.mu.Unlock()
	if made != nil {
		return made, nil
	}
	b, err := c.Blob(ctx, side, path)
	if err != nil {
		return nil, err
	}
	made = prepare(b)
	cost := len(b)/64 + bytes.Count(b, []byte{'\n'})
	c.mu.Lock()
	defer c.mu.Unlock()
	if kept[key] == nil && cost <= c.room {
		c.room -= cost
		kept[key] = made
	}
	return made, nil
}

// readBlob reads a version of a file, from the prepared ones if the source keeps them.
func readBlob(ctx context.Context, src Source, side domain.Side, path string) (*text, error) {
	if c, keeps := src.(*Files); keeps {
		return c.text(ctx, side, path)
	}
	b, err := src.Blob(ctx, side, path)
	if err != nil {
		return nil, err
	}
	return newText(b), nil
}

// outline reads the parts of a version of a file, from the text if the source does not keep them.
func outline(ctx context.Context, src Source, t *text, side domain.Side, path, language string) *structure.Outline {
	if c, keeps := src.(*Files); keeps && t.content != nil {
		if o, err := c.Outline(ctx, side, path, language); err == nil {
			return o
		}
	}
	return structure.Read(language, t.content)
}
