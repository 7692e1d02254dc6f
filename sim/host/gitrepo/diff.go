package gitrepo

import (
	"context"
	"strings"
	"sync"

	"github.com/assay-dev/assay/sim/host/patch"
)

// File is one changed file of a diff.
type File struct {
	// Path is the path after the change; OldPath is the one before a rename.
	Path, OldPath string
	// Status has the words of the GitHub REST description: added, removed, modified, renamed, changed.
	Status string
	// OldBlob and NewBlob are object names (all zeros if absent); OldMode and NewMode are the file modes.
	OldBlob, NewBlob, OldMode, NewMode string
	// Additions and Deletions count lines.
	Additions, Deletions int
	// Patch is the text from the first "@@"; empty for binary files and pure renames.
	Patch string
	// Binary means that git shows no text.
	Binary bool
	// Hunks is the parsed Patch.
	Hunks []patch.Hunk
}

// Diff is the difference between two commits.
type Diff struct {
	// Text is the whole unified diff as git prints it.
	Text  string
	Files []File
	// Lines counts all lines of Text.
	Lines int
	// Cut means that the change exceeds the bounds: Text ends early, and Files may.
	Cut bool
}

// Find returns the file with that path after (or, for removed files, before) the change.
func (d *Diff) Find(path string) *File {
	for i := range d.Files {
		if d.Files[i].Path == path {
			return &d.Files[i]
		}
	}
	return nil
}

// diffCache keeps diffs between commits, because they never change.
type diffCache struct {
	mu sync.Mutex
	m  map[[2]string]*Diff
}

const maxCachedDiffs = 64

func newDiffCache() *diffCache { return &diffCache{m: map[[2]string]*Diff{}} }

// Diff returns the difference from commit a to commit b with renames detected. Callers share the result and
// must not change it.
func (r *Repo) Diff(ctx context.Context, a, b string) (*Diff, error) {
	key := [2]string{a, b}
	r.cache.mu.Lock()
	d, ok := r.cache.m[key]
	r.cache.mu.Unlock()
	if ok {
		return d, nil
	}
	files, cut, err := r.changed(ctx, a, b)
	if err != nil {
		return nil, err
	}
	d = &Diff{Files: files, Cut: cut}
	if !cut {
		text, ended, err := r.bounded(ctx, maxDiffOutput, "diff-tree", "-r", "-M", "-p", "--full-index", "--no-color", "--no-ext-diff",
			"--no-textconv", a, b)
		if err != nil {
			return nil, err
		}
		d.Text, d.Lines, d.Cut = string(text), strings.Count(string(text), "\n"), ended
	}
	parts := sections(d.Text)
	if d.Cut && len(parts) > 0 {
		parts = parts[:len(parts)-1] // the last section is cut somewhere
	}
	for i := range d.Files {
		if len(parts) == 0 {
			break
		}
		if d.Files[i].Status == "changed" && len(parts) > 1 { // git shows a change of type as a removal and an addition
			parts = parts[2:]
			continue
		}
		if err := d.Files[i].addPatch(parts[0]); err != nil {
			return nil, err
		}
		parts = parts[1:]
	}
	r.cache.mu.Lock()
	defer r.cache.mu.Unlock()
	if len(r.cache.m) >= maxCachedDiffs {
		clear(r.cache.m)
	}
	r.cache.m[key] = d
	return d, nil
}

// parseRaw reads "git diff-tree --raw -z": ":oldmode newmode oldsha newsha STATUS\0path\0[path\0]".
func parseRaw(raw string) []File {
	var files []File
	fields := strings.Split(raw, "\x00")
	for i := 0; i+1 < len(fields); {
		meta := strings.Fields(strings.TrimPrefix(fields[i], ":"))
		if len(meta) != 5 {
			i++
			continue
		}
		f := File{OldMode: meta[0], NewMode: meta[1], OldBlob: meta[2], NewBlob: meta[3], Path: fields[i+1]}
		i += 2
		switch meta[4][0] {
		case 'A':
			f.Status = "added"
		case 'D':
			f.Status = "removed"
		case 'R', 'C':
			f.Status, f.OldPath = "renamed", f.Path
			if i < len(fields) {
				f.Path = fields[i]
				i++
			}
		case 'T':
			f.Status = "changed"
		default:
			f.Status = "modified"
		}
		files = append(files, f)
	}
	return files
}

// sections splits a diff at its "diff --git" lines; lines of content never start that way.
func sections(text string) []string {
	var list []string
	start := -1
	for pos := 0; pos < len(text); {
		if strings.HasPrefix(text[pos:], "diff --git ") {
			if start >= 0 {
				list = append(list, text[start:pos])
			}
			start = pos
		}
		next := strings.IndexByte(text[pos:], '\n')
		if next < 0 {
			break
		}
		pos += next + 1
	}
	if start >= 0 {
		list = append(list, text[start:])
	}
	return list
}

func (f *File) addPatch(section string) error {
	at := strings.Index(section, "\n@@ ")
	if at < 0 {
		f.Binary = strings.Contains(section, "\nBinary files ")
		return nil
	}
	f.Patch = strings.TrimSuffix(section[at+1:], "\n")
	hunks, err := patch.Parse(f.Patch)
	if err != nil {
		return err
	}
	f.Hunks = hunks
	for _, h := range hunks {
		for _, l := range h.Lines {
			switch l.Kind {
			case '+':
				f.Additions++
			case '-':
				f.Deletions++
			}
		}
	}
	return nil
}
