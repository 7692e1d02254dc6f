package anchor

import (
	"bytes"
	"context"
	"sync"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/structure"
)

// maxKept bounds what [Files] keeps prepared, in lines: 64 bytes more of a file
// count as one, and what is made of it takes about 130 bytes for each. Beyond it a
// file is prepared again for every question.
const maxKept = 1_000_000

// Files reads through another source and keeps what was made of each version of a
// file, so that a file is split and parsed once and not for every finding. The
// functions of this package use it where they are given one as their source. It
// is safe for concurrent use.
type Files struct {
	Source

	mu       sync.Mutex
	room     int // for what is not kept yet
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

// prepared returns what was made of a version of a file, or makes it, and keeps it
// while there is room.
func prepared[T any](ctx context.Context, c *Files, kept map[string]*T, key string, side domain.Side, path string, prepare func([]byte) *T) (*T, error) {
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

// readBlob reads a version of a file, prepared once where the source keeps it.
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

// outline reads the parts of a version of a file. Without a source that keeps
// them, they are read from the text.
func outline(ctx context.Context, src Source, t *text, side domain.Side, path, language string) *structure.Outline {
	if c, keeps := src.(*Files); keeps && t.content != nil {
		if o, err := c.Outline(ctx, side, path, language); err == nil {
			return o
		}
	}
	return structure.Read(language, t.content)
}
