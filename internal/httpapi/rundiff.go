package httpapi

import (
	"context"
	"strconv"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/review/hunkcodec"
	"github.com/assay-dev/assay/internal/store"
)

// maxDiffPage is the number of bytes of lines after which a page of a run's change ends early.
const maxDiffPage = 1 << 20

// RunDiff is a page of a run's change.
type RunDiff struct {
	MergeBaseSHA string     `json:"mergeBaseSha" doc:"The commit that the numbers of old lines count in"`
	HeadSHA      string     `json:"headSha" doc:"The commit that the numbers of new lines count in"`
	Files        int        `json:"files" doc:"Of the change; at most 2000 are kept"`
	Items        []DiffFile `json:"items" doc:"In the order of the diff"`
	NextCursor   string     `json:"nextCursor,omitempty" doc:"For the parameter cursor of the next page; absent on the last one. A page has at most a mebibyte of lines, and so may be shorter than limit"`
}

// DiffFile is a changed file. Paths and lines are text from outside, without the secrets found in the
// change.
type DiffFile struct {
	Ordinal   int64      `json:"ordinal" doc:"Place in the diff, from 1" example:"1"`
	Path      string     `json:"path" doc:"At the head; for a deleted file as it was" example:"shop/cart.go"`
	OldPath   string     `json:"oldPath,omitempty" doc:"At the merge base, of a file that was renamed or copied" example:"shop/basket.go"`
	Status    string     `json:"status" enum:"added,modified,deleted,renamed,copied"`
	Class     string     `json:"class" doc:"What kind of file it was taken for: source, test, docs, generated, vendored, data, config, …" example:"source"`
	Language  string     `json:"language" doc:"As in Linguist; empty where unknown" example:"Go"`
	Binary    bool       `json:"binary"`
	Additions int        `json:"additions" example:"3"`
	Deletions int        `json:"deletions" example:"1"`
	Omitted   string     `json:"omitted,omitempty" doc:"Why no line of it was looked at: it is too large, or could not be checked for secrets within bounds"`
	Cut       bool       `json:"cut" doc:"Not every line is kept: beyond 4000 lines, 256 KiB of one file, 4 MiB of a change or 4 KiB of a line"`
	Hunks     []DiffHunk `json:"hunks" doc:"Empty with view=files"`
}

// DiffHunk is a block of changed lines with its context.
type DiffHunk struct {
	OldStart int        `json:"oldStart" doc:"First line at the merge base; 0 for an empty side" example:"12"`
	OldLines int        `json:"oldLines" example:"2"`
	NewStart int        `json:"newStart" doc:"First line at the head; 0 for an empty side" example:"12"`
	NewLines int        `json:"newLines" example:"3"`
	Section  string     `json:"section" doc:"What stands above it, mostly the function" example:"func Total(items []Item) int {"`
	Lines    []DiffLine `json:"lines"`
}

// DiffLine is one line of a hunk.
type DiffLine struct {
	Kind  string `json:"kind" enum:"context,add,delete"`
	Old   int    `json:"old" doc:"Number at the merge base; 0 for an added line" example:"0"`
	New   int    `json:"new" doc:"Number at the head; 0 for a removed line" example:"13"`
	Text  string `json:"text" doc:"Without its line ending. A secret stands as [redacted:…]" example:"	return sum / len(items)"`
	NoEOL bool   `json:"noEol,omitempty" doc:"The file ends with it, without a newline"`
}

// RunDiffInput is the input of GET R/review-runs/{runId}/diff.
type RunDiffInput struct {
	InRun
	Page
	View string `query:"view" enum:"lines,files" default:"lines" doc:"files: names and counts, without lines"`
	Path string `query:"path" maxLength:"4096" doc:"Only the file with this path, at the head or before"`
}

func (s *server) runDiff(ctx context.Context, in *RunDiffInput) (*Read[RunDiff], error) {
	c := callerFrom(ctx)
	after, err := ordinalCursor(in.Cursor)
	if err != nil {
		return nil, err
	}
	run, err := s.runOf(ctx, c, in.RunID)
	if err != nil {
		return nil, err
	}
	var rows []store.DiffFile
	switch {
	case in.Path != "":
		rows, err = s.Store.RunDiffOf(ctx, c.tenant, run.ID, in.Path)
	case in.View == "files":
		rows, err = s.Store.RunDiffNames(ctx, c.tenant, run.ID, after, in.Limit+1)
	default:
		rows, err = s.Store.RunDiff(ctx, c.tenant, run.ID, after, in.Limit+1)
	}
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 && after == 0 {
		if err := s.whyNoDiff(ctx, run, in.Path != ""); err != nil {
			return nil, err
		}
	}
	out := RunDiff{MergeBaseSHA: run.MergeBase, HeadSHA: run.HeadSHA, Files: stored[runSummary](run.Summary).Files, Items: []DiffFile{}}
	text := 0
	for i, row := range rows {
		if i == in.Limit || text > maxDiffPage {
			out.NextCursor = writeCursor(strconv.FormatInt(rows[i-1].Ordinal, 10))
			break
		}
		f, size, err := diffFile(row)
		if err != nil {
			return nil, err
		}
		text += size
		out.Items = append(out.Items, f)
	}
	return &Read[RunDiff]{out}, nil
}

// whyNoDiff returns the reason why no change is stored for a run, or nil if there is no reason.
func (s *server) whyNoDiff(ctx context.Context, run store.Run, one bool) error {
	if one {
		kept, err := s.Store.RunDiffNames(ctx, callerFrom(ctx).tenant, run.ID, 0, 1)
		if err != nil || len(kept) > 0 {
			return err
		}
	}
	switch {
	case !run.State.Terminal() && run.Summary == "{}":
		return errs.New(errs.Conflict, "diff_not_ready", "The change is kept once the review has been made. Follow the run, and ask again then.")
	case run.Summary != "{}" && stored[runSummary](run.Summary).Files == 0:
		return nil
	}
	return errs.New(errs.Conflict, "diff_not_kept", "The change of this run is not stored: the run ended before its review was "+
		"made, or an earlier version made it. Look at the change on the code host.")
}

var lineKinds = map[diff.Op]string{diff.Context: "context", diff.Add: "add", diff.Delete: "delete"}

// diffFile converts a file and returns the size of its lines in bytes.
func diffFile(row store.DiffFile) (out DiffFile, size int, err error) {
	out = DiffFile{Ordinal: row.Ordinal, Path: row.Path, OldPath: row.OldPath, Status: row.Status, Class: row.Class,
		Language: row.Language, Binary: row.Binary,
		Additions: row.Additions, Deletions: row.Deletions, Omitted: row.Omitted, Cut: row.Cut, Hunks: []DiffHunk{}}
	if len(row.Hunks) == 0 {
		return out, 0, nil
	}
	hunks, err := hunkcodec.Unpack(row.Hunks)
	if err != nil {
		return out, 0, errs.Wrap(err, errs.Internal, "internal", "The stored lines of a file cannot be read.")
	}
	for _, h := range hunks {
		shown := DiffHunk{OldStart: h.OldStart, OldLines: h.OldLines, NewStart: h.NewStart, NewLines: h.NewLines, Section: h.Section,
			Lines: []DiffLine{}}
		for _, l := range h.Lines {
			shown.Lines = append(shown.Lines, DiffLine{lineKinds[l.Op], l.Old, l.New, l.Text, l.NoEOL})
			size += len(l.Text) + 1
		}
		out.Hunks = append(out.Hunks, shown)
	}
	return out, size, nil
}

// ordinalCursor decodes a place in a list that is ordered by numbers from 1.
func ordinalCursor(cursor string) (int64, error) {
	if cursor == "" {
		return 0, nil
	}
	parts, err := readCursor(cursor, 1)
	if err != nil {
		return 0, err
	}
	n, err := strconv.ParseInt(parts[0], 10, 64)
	if err != nil || n < 1 {
		return 0, badCursor()
	}
	return n, nil
}
