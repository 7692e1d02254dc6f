package codeindex

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"slices"
	"time"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/jobs"
	"github.com/assay-dev/assay/internal/snapshot"
	"github.com/assay-dev/assay/internal/store"
)

// tree is the part of a snapshot that a build reads.
type tree interface {
	AllFiles(ctx context.Context, sha string, limit int) ([]snapshot.Entry, error)
	Content(ctx context.Context, e snapshot.Entry, limit int) ([]byte, error)
}

// build brings one generation of an index to a commit. Each batch of files is one transaction, so that a build that was
// interrupted continues with the files that are missing.
type build struct {
	*Service
	tenant     domain.Tenant
	row        store.CodeIndex
	generation int64
	code       tree
	// held returns an error if another worker has the job; progress reports files. Both are called often.
	held     func(ctx context.Context) error
	progress func(ctx context.Context, done, total int) error
	until    time.Time // when the slot is given back
	left     leftOut
	total    int
}

// errTurn means that the build gives its slot back and continues later.
var errTurn = errors.New("other repositories are indexed first; the rest follows")

// run indexes a commit. The result has the numbers of the index.
func (b *build) run(ctx context.Context, commit string) error {
	entries, err := b.code.AllFiles(ctx, commit, maxFiles)
	if err != nil {
		return err
	}
	wanted, left := plan(entries)
	b.left, b.total = left, len(wanted)
	have, err := b.Store.CodeFiles(ctx, b.tenant, b.row.ID, b.generation)
	if err != nil {
		return err
	}
	changed, gone := difference(wanted, have)
	done := len(wanted) - len(changed)
	if err := b.progress(ctx, done, b.total); err != nil {
		return err
	}
	groups := batches(changed)
	if len(groups) == 0 && len(gone) > 0 {
		groups = [][]planned{nil}
	}
	paths := map[string]bool{}
	for _, g := range groups {
		for _, f := range g {
			paths[f.entry.Path] = true
		}
	}
	for i, g := range groups {
		first := i == 0
		replaced := slices.DeleteFunc(slices.Clone(gone), func(f store.CodeFile) bool {
			if paths[f.Path] {
				return !slices.ContainsFunc(g, func(p planned) bool { return p.entry.Path == f.Path })
			}
			return !first
		})
		if err := b.batch(ctx, g, replaced); err != nil {
			return err
		}
		done += len(g)
		if err := b.progress(ctx, done, b.total); err != nil {
			return err
		}
		if time.Now().After(b.until) && i+1 < len(groups) {
			return errTurn
		}
	}
	return b.merge(ctx)
}

// batch indexes files in place of stored ones.
func (b *build) batch(ctx context.Context, files []planned, replaced []store.CodeFile) error {
	members, left, err := b.members(ctx, files)
	if err != nil {
		return err
	}
	return b.Store.InTx(ctx, func(ctx context.Context) error {
		if err := b.held(ctx); err != nil {
			return err
		}
		segments, err := b.segments(ctx, b.tenant, b.row.ID, b.generation)
		if err != nil {
			return err
		}
		change := change{store.CodeChange{Files: left}}
		change.replace(segments, replaced)
		if len(members) > 0 {
			change.add(segmentNumber(segments), members)
		}
		return b.Store.ChangeCodeFiles(ctx, b.tenant, b.row.ID, b.generation, change.CodeChange)
	})
}

// members reads the files of a batch. Those that their content leaves out become rows without a place.
func (b *build) members(ctx context.Context, files []planned) (out []member, left []store.CodeFile, err error) {
	names := make([]string, len(files))
	for i, f := range files {
		names[i] = f.blob
	}
	known, err := b.Store.UseCodeBlobs(ctx, b.tenant, names)
	if err != nil {
		return nil, nil, err
	}
	stored, err := b.contents(ctx, b.tenant, named(known))
	if err != nil {
		return nil, nil, err
	}
	var fresh []store.CodeBlob
	for _, f := range files {
		body, is := stored[f.blob]
		reason := ""
		if is {
			reason = ofContent(f.entry.Path, []byte(body.text))
		} else {
			if body, reason, err = b.read(ctx, f); err != nil {
				return nil, nil, err
			}
			if reason == "" {
				packed, err := body.pack()
				if err != nil {
					return nil, nil, err
				}
				fresh = append(fresh, store.CodeBlob{Blob: f.blob, Content: packed})
				stored[f.blob] = body
			}
		}
		if reason != "" {
			left = append(left, store.CodeFile{Path: f.entry.Path, Blob: f.blob, Place: -1, Reason: reason})
			continue
		}
		out = append(out, member{f.entry.Path, f.blob, body})
	}
	for part := range slices.Chunk(fresh, 50) { // short transactions: other writes wait for them on SQLite
		if err := b.Store.PutCodeBlobs(ctx, b.tenant, unique(part)); err != nil {
			return nil, nil, err
		}
	}
	return out, left, nil
}

// unique returns contents without repetitions, which one statement cannot store.
func unique(list []store.CodeBlob) (out []store.CodeBlob) {
	seen := map[string]bool{}
	for _, b := range list {
		if !seen[b.Blob] {
			seen[b.Blob] = true
			out = append(out, b)
		}
	}
	return out
}

func named(blobs map[string]bool) (out []store.CodeFile) {
	for _, b := range slices.Sorted(maps.Keys(blobs)) {
		out = append(out, store.CodeFile{Blob: b})
	}
	return out
}

// read reads a file from the snapshot, or returns why it is left out.
func (b *build) read(ctx context.Context, f planned) (content, string, error) {
	raw, err := b.code.Content(ctx, f.entry, maxFileBytes)
	switch {
	case errs.Is(err, errs.TooLarge):
		return content{}, leftTooLarge, nil
	case errors.Is(err, fs.ErrNotExist):
		return content{}, string(diff.ClassBinary), nil
	case err != nil:
		return content{}, "", err
	}
	if reason := ofContent(f.entry.Path, raw); reason != "" {
		return content{}, reason, nil
	}
	return read(f.language, raw), "", nil
}

// ofContent returns why a file is left out because of its content, or "".
func ofContent(path string, text []byte) string {
	class, _ := diff.Classify(path, text)
	return ofClass(class)
}

// change collects the rows of a [store.CodeChange].
type change struct{ store.CodeChange }

// merge joins small segments, so that their number stays bounded.
func (b *build) merge(ctx context.Context) error {
	segments, err := b.segments(ctx, b.tenant, b.row.ID, b.generation)
	if err != nil {
		return err
	}
	var small []int64
	for _, seg := range segments {
		if seg.liveFiles() < smallSegment {
			small = append(small, seg.Segment)
		}
	}
	if len(small) <= maxSmall {
		return nil
	}
	have, err := b.Store.CodeFiles(ctx, b.tenant, b.row.ID, b.generation)
	if err != nil {
		return err
	}
	of := map[int64][]store.CodeFile{}
	for _, f := range have {
		if f.Place >= 0 {
			segment, _ := f.InSegment()
			of[segment] = append(of[segment], f)
		}
	}
	var files []store.CodeFile
	var joined []int64
	for i, segment := range small {
		files, joined = append(files, of[segment]...), append(joined, segment)
		if len(files) < batchFiles && i+1 < len(small) {
			continue
		}
		if err := b.rejoin(ctx, files, joined); err != nil {
			return err
		}
		files, joined = nil, nil
	}
	return nil
}

// rejoin indexes the files of some segments as one.
func (b *build) rejoin(ctx context.Context, files []store.CodeFile, segments []int64) error {
	contents, err := b.contents(ctx, b.tenant, files)
	if err != nil {
		return err
	}
	var members []member
	for _, f := range files {
		body, known := contents[f.Blob]
		if !known {
			return errDamaged
		}
		members = append(members, member{f.Path, f.Blob, body})
	}
	return b.Store.InTx(ctx, func(ctx context.Context) error {
		if err := b.held(ctx); err != nil {
			return err
		}
		all, err := b.segments(ctx, b.tenant, b.row.ID, b.generation)
		if err != nil {
			return err
		}
		c := change{store.CodeChange{Emptied: segments}}
		for _, f := range files {
			c.Gone = append(c.Gone, f.Path)
		}
		if len(members) > 0 {
			c.add(segmentNumber(all), members)
		}
		return b.Store.ChangeCodeFiles(ctx, b.tenant, b.row.ID, b.generation, c.CodeChange)
	})
}

// add adds a segment with its files.
func (c *change) add(number int64, members []member) {
	c.Segment, c.Words = makeSegment(number, members)
	for i, m := range members {
		c.Files = append(c.Files, store.CodeFile{Path: m.path, Blob: m.blob, Place: store.CodePlace(number, i)})
	}
}

// replace removes files. A segment whose files are all gone is deleted.
func (c *change) replace(segments []segment, files []store.CodeFile) {
	numbers := map[int64][]int{}
	for _, f := range files {
		c.Gone = append(c.Gone, f.Path)
		if f.Place >= 0 {
			segment, number := f.InSegment()
			numbers[segment] = append(numbers[segment], number)
		}
	}
	c.Stale = map[int64][]byte{}
	for _, seg := range segments {
		gone := numbers[seg.Segment]
		if len(gone) == 0 {
			continue
		}
		if seg.liveFiles() == len(gone) {
			c.Emptied = append(c.Emptied, seg.Segment)
			continue
		}
		c.Stale[seg.Segment] = withStale(seg.CodeSegment, gone)
	}
}

// held returns an error if another worker has the claim.
func held(c *jobs.Claim) func(ctx context.Context) error {
	return func(ctx context.Context) error {
		_, err := c.Left(ctx)
		return err
	}
}
