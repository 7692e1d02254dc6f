package snapshot

import (
	"bytes"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/wording"
)

// fileHeader begins a file in git's diff. No other line begins so: lines of hunks begin with a sign or a
// space, and git quotes a path that contains a line break.
const fileHeader = "diff --git "

// boundedDiff takes a diff from git and keeps the parts that fit: the headers of the first maxFiles files, and
// hunks of at most maxBytes in all. If there are more, the largest files lose their hunks first, the later
// one of two of the same size, so that a diff always gives the same result. A file with a line beyond
// maxLine loses its hunks at once. It uses little more memory than maxBytes.
type boundedDiff struct {
	maxBytes, maxFiles int
	large              map[string]bool // objects that are too large for git's comparison

	files []section
	bytes int    // of all kept hunks
	more  int    // files beyond maxFiles
	start []byte // beginning of a line until its kind is known
	line  bool   // the rest of the present line follows
	body  bool   // inside the hunks of a file
	width int    // bytes of the line so far
}

// maxLine bounds a line of a hunk, in bytes. A file with a longer line is beyond the size of readable files
// ([DefaultMaxBlob]), and each step of a review would copy its hunks.
const maxLine = DefaultMaxBlob

// section is one file of a diff.
type section struct {
	header, hunks []byte
	omitted       bool
}

// Write never fails, so that git is not stopped by a closed pipe.
func (k *boundedDiff) Write(b []byte) (int, error) {
	n := len(b)
	for len(b) > 0 {
		if !k.line {
			part := b[:min(len(b), len(fileHeader)-len(k.start))]
			if nl := bytes.IndexByte(part, '\n'); nl >= 0 {
				part = part[:nl+1]
			}
			k.start, b = append(k.start, part...), b[len(part):]
			ended := k.start[len(k.start)-1] == '\n'
			if len(k.start) < len(fileHeader) && !ended {
				return n, nil
			}
			k.begin()
			k.width = 0
			k.keep(k.start)
			k.start, k.line = k.start[:0], !ended
			continue
		}
		part := b
		if nl := bytes.IndexByte(b, '\n'); nl >= 0 {
			part, k.line = b[:nl+1], false
		}
		k.keep(part)
		b = b[len(part):]
	}
	return n, nil
}

// begin handles the beginning of a line.
func (k *boundedDiff) begin() {
	switch {
	case string(k.start) == fileHeader:
		k.body = false
		if len(k.files) == k.maxFiles || k.more > 0 {
			k.more++
			return
		}
		k.files = append(k.files, section{})
	case bytes.HasPrefix(k.start, []byte("@@ ")):
		k.body = true
	}
}

// keep adds a part of a line to its file.
func (k *boundedDiff) keep(part []byte) {
	if len(k.files) == 0 || k.more > 0 {
		return
	}
	f := &k.files[len(k.files)-1]
	if !k.body {
		f.header = append(f.header, part...)
		return
	}
	if f.omitted {
		return
	}
	if k.width += len(part); k.width > maxLine {
		k.bytes -= len(f.hunks)
		f.hunks, f.omitted = nil, true
		return
	}
	f.hunks = append(f.hunks, part...)
	for k.bytes += len(part); k.bytes > k.maxBytes; {
		k.omitLargest()
	}
}

func (k *boundedDiff) omitLargest() {
	largest := &k.files[0]
	for i := range k.files {
		if f := &k.files[i]; len(f.hunks) >= len(largest.hunks) {
			largest = f
		}
	}
	k.bytes -= len(largest.hunks)
	largest.hunks, largest.omitted = nil, true
}

// tooLarge reports whether git treats the file as binary because a version exceeds git's comparison size.
// The header contains the names of the objects (--full-index).
func (k *boundedDiff) tooLarge(f section) bool {
	if len(k.large) == 0 || len(f.hunks) > 0 || !bytes.Contains(f.header, []byte("\nBinary files ")) {
		return false
	}
	for line := range bytes.Lines(f.header) {
		names, ok := bytes.CutPrefix(line, []byte("index "))
		if !ok {
			continue
		}
		names, _, _ = bytes.Cut(bytes.TrimSpace(names), []byte(" "))
		old, now, _ := bytes.Cut(names, []byte(".."))
		return k.large[string(old)] || k.large[string(now)]
	}
	return false
}

// diff returns the kept diff, with notes about the omitted parts.
func (k *boundedDiff) diff() []byte {
	size := 0
	for _, f := range k.files {
		size += len(f.header) + len(f.hunks) + 64
	}
	var b bytes.Buffer
	b.Grow(size)
	if k.more > 0 {
		b.Write(diff.Lacking(wording.English(wording.NoticeFiles, k.maxFiles, k.more)))
	}
	for i, f := range k.files {
		k.files[i].hunks = nil // frees the written hunks
		if f.omitted || k.tooLarge(f) {
			f.header = diff.Omit(f.header, diff.OmittedLarge)
		}
		b.Write(f.header)
		b.Write(f.hunks)
	}
	return b.Bytes()
}
