package codeindex

import (
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/snapshot"
	"github.com/assay-dev/assay/internal/store"
)

// Reasons for leaving a file out, beside the classes of package diff.
const (
	leftTooLarge = "too-large"
	leftPath     = "path"
	leftLimit    = "limit"
)

// shownPaths is how many paths of each reason are kept.
const shownPaths = 5

// leftOut counts files that are left out, by reason.
type leftOut map[string]*domain.LeftOut

func (l leftOut) add(reason, path string) {
	if l[reason] == nil {
		l[reason] = &domain.LeftOut{Reason: reason, Paths: []string{}}
	}
	l[reason].Count++
	if path != "" && len(l[reason].Paths) < shownPaths {
		l[reason].Paths = append(l[reason].Paths, path)
	}
}

// list returns the counts in the order of their reasons.
func (l leftOut) list() []domain.LeftOut {
	out := []domain.LeftOut{}
	for _, reason := range slices.Sorted(maps.Keys(l)) {
		out = append(out, *l[reason])
	}
	return out
}

// planned is a file that the index wants.
type planned struct {
	entry    snapshot.Entry
	blob     string
	language string
}

// plan chooses the files of a tree that are read, in git's order.
func plan(entries []snapshot.Entry) (wanted []planned, left leftOut) {
	left = leftOut{}
	if len(entries) >= maxFiles { // the listing ended there
		left.add(leftLimit, "")
	}
	bytes := int64(0)
	for _, e := range entries {
		reason := leaveOut(e)
		switch {
		case reason != "":
		case len(wanted) == maxIndexed || bytes+e.Size > maxTextBytes:
			reason = leftLimit
		default:
			bytes += e.Size
			language := diff.Language(e.Path)
			wanted = append(wanted, planned{e, blobName(language, e.OID), language})
			continue
		}
		path := e.Path
		if reason == leftPath {
			path = ""
		}
		left.add(reason, path)
	}
	return wanted, left
}

// leaveOut returns why an entry of a tree is not read, or "".
func leaveOut(e snapshot.Entry) string {
	switch {
	case e.Mode == diff.ModeSubmodule:
		return string(diff.ClassSubmodule)
	case e.Mode == diff.ModeSymlink:
		return string(diff.ClassSymlink)
	case len(e.Path) > maxPathBytes || !utf8.ValidString(e.Path) || strings.ContainsFunc(e.Path, isControl):
		return leftPath
	}
	class, _ := diff.Classify(e.Path, nil)
	if reason := ofClass(class); reason != "" {
		return reason
	}
	if e.Size > maxFileBytes {
		return leftTooLarge
	}
	return ""
}

func isControl(r rune) bool { return r < ' ' || r == 0x7f }

// ofClass returns why files of a class are left out, or "".
func ofClass(class diff.Class) string {
	if class.Ignored() && class != diff.ClassDocs {
		return string(class)
	}
	return ""
}

// difference compares the files that are wanted with the stored ones.
func difference(wanted []planned, have []store.CodeFile) (changed []planned, gone []store.CodeFile) {
	stored := make(map[string]store.CodeFile, len(have))
	for _, f := range have {
		stored[f.Path] = f
	}
	for _, w := range wanted {
		if f, known := stored[w.entry.Path]; !known || f.Blob != w.blob {
			changed = append(changed, w)
			continue
		}
		delete(stored, w.entry.Path)
	}
	for _, f := range have {
		if _, left := stored[f.Path]; left {
			gone = append(gone, f)
		}
	}
	return changed, gone
}

// batches cuts files into groups that become one segment each.
func batches(files []planned) (out [][]planned) {
	start, bytes := 0, int64(0)
	for i, f := range files {
		if i > start && (i-start == batchFiles || bytes+f.entry.Size > batchBytes) {
			out = append(out, files[start:i])
			start, bytes = i, 0
		}
		bytes += f.entry.Size
	}
	if start < len(files) {
		out = append(out, files[start:])
	}
	return out
}
