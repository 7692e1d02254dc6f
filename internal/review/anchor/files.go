package anchor

import (
	"context"
	"sync"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/structure"
)

// maxKept bounds the lines that [Files] keeps prepared, about 100 MB: beyond it a
// file is prepared again for every question.
const maxKept = 1_000_000

// Files reads through another source and keeps what was made of each version of a
// file, so that a file is split and parsed once and not for every finding. The
// functions of this package use it where they are given one as their source. It
// is safe for concurrent use.
type Files struct {
	Source

	mu       sync.Mutex
	lines    int
	texts    map[string]*text
	outlines map[string]*structure.Outline
	made     func(what, path string) // for tests: called for each preparation
}

// NewFiles returns a reader of the files of one change.
func NewFiles(src Source) *Files {
	return &Files{Source: src, texts: map[string]*text{}, outlines: map[string]*structure.Outline{}}
}

// text prepares a version of a file. Errors are those of the source.
func (c *Files) text(ctx context.Context, side domain.Side, path string) (*text, error) {
	key := string(side) + ":" + path
	c.mu.Lock()
	t := c.texts[key]
	c.mu.Unlock()
	if t != nil {
		return t, nil
	}
	b, err := c.Blob(ctx, side, path)
	if err != nil {
		return nil, err
	}
	t = newText(b)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.made != nil {
		c.made("text", path)
	}
	if c.lines+len(t.lines) <= maxKept {
		c.lines += len(t.lines)
		c.texts[key] = t
	}
	return t, nil
}

// Outline reads the parts of a version of a file. Errors are those of the source.
func (c *Files) Outline(ctx context.Context, side domain.Side, path, language string) (*structure.Outline, error) {
	key := language + ":" + string(side) + ":" + path
	c.mu.Lock()
	o := c.outlines[key]
	c.mu.Unlock()
	if o != nil {
		return o, nil
	}
	b, err := c.Blob(ctx, side, path)
	if err != nil {
		return nil, err
	}
	o = structure.Read(language, b)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.made != nil {
		c.made("outline", path)
	}
	c.outlines[key] = o
	return o, nil
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
