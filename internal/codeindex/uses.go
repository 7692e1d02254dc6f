package codeindex

import (
	"cmp"
	"context"
	"slices"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
)

// Use is a line with a name.
type Use struct {
	Path       string
	Line       int
	Text       string // text from outside, without secrets
	Definition bool   // the line defines the name
}

// Uses returns the first limit lines that have a name as an identifier, definitions first, in files whose path wants accepts;
// nil accepts all. Errors: Conflict if there is no index.
func (s *Service) Uses(ctx context.Context, t domain.Tenant, r store.Repository, name string, wants func(path string) bool,
	limit int) (row store.CodeIndex, out []Use, err error) {
	if row, err = s.ready(ctx, t, r); err != nil {
		return row, nil, err
	}
	want := termOf(roleExact, name)
	c, err := s.load(ctx, t, row, []term{want, termOf(roleDefines, name)})
	if err != nil {
		return row, nil, err
	}
	hits, err := c.having(name)
	if err != nil {
		return row, nil, err
	}
	at, err := s.filesOf(ctx, t, row, c, hits)
	if err != nil {
		return row, nil, err
	}
	byBlob := map[string][]chunkOf{}
	var files []store.CodeFile
	for _, h := range hits {
		f, live := at[c.place(h)]
		if !live || wants != nil && !wants(f.Path) {
			continue
		}
		if byBlob[f.Blob] == nil {
			if len(files) == maxUseFiles {
				continue
			}
			files = append(files, f)
		}
		byBlob[f.Blob] = append(byBlob[f.Blob], chunkOf{f.Path, c.segments[h.segment].chunks[h.chunk].chunk})
	}
	contents, err := s.contents(ctx, t, files)
	for blob, body := range contents {
		for _, k := range byBlob[blob] {
			out = append(out, body.uses(name, k)...)
		}
	}
	slices.SortFunc(out, func(a, b Use) int {
		return cmp.Or(-compareBool(a.Definition, b.Definition), cmp.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line))
	})
	out = out[:min(len(out), limit)]
	for i := range out {
		out[i].Text = s.Scan(out[i].Text)
	}
	return row, out, err
}

// chunkOf is a chunk of the file with a path.
type chunkOf struct {
	path string
	chunk
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// having returns the chunks that have an identifier, those first that define it, at most maxUseChunks.
func (c corpus) having(name string) (out []hit, err error) {
	defines := map[[2]int]bool{}
	for _, role := range []string{roleDefines, roleExact} {
		postings, _, err := c.postings(termOf(role, name))
		if err != nil {
			return nil, err
		}
		for i, list := range postings {
			for _, p := range list {
				if at := [2]int{i, int(p.chunk)}; !defines[at] && len(out) < maxUseChunks {
					defines[at] = true
					out = append(out, hit{segment: i, chunk: int(p.chunk)})
				}
			}
		}
	}
	return out, nil
}

// uses returns the lines of a chunk that have a name as an identifier.
func (c content) uses(name string, k chunkOf) (out []Use) {
	defined := map[int]bool{}
	for _, s := range c.Symbols {
		defined[s.Start] = defined[s.Start] || s.base() == name
	}
	for i := k.Start; i <= min(k.End, len(c.lines)); i++ {
		line, has := c.lines[i-1], false
		identifiers(line[:min(len(line), maxLineBytes)], func(word string) { has = has || word == name })
		if has {
			out = append(out, Use{Path: k.path, Line: i, Text: clipLine(line), Definition: defined[i]})
		}
	}
	return out
}
