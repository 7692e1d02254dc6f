package gitlab

import (
	"bytes"
	"context"
	"crypto/sha1" // GitLab's id of a line uses it, not for security
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	sdk "gitlab.com/gitlab-org/api/client-go/v2"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
)

// places holds the lines of one version of a merge request and the commits that it compares. It does not
// change after it was read.
type places struct {
	project, head string
	number, lines int
	refs          sdk.MergeRequestDiffRefs
	files         map[string]*placedFile // by the new path, or by the old one for a removed file
	byGit         bool                   // the diff of git was searched for the omitted texts
	read          time.Time
}

// placedFile is a changed file. hunks is nil if the file has no text or GitLab omits it.
type placedFile struct {
	oldPath, newPath string
	hunks            []*diff.Hunk
}

// Bounds of the cached places (design choices). They expire, because a merge request with a new target
// branch gets a new version with the same head.
const (
	maxPlaces  = 8
	placesLast = 2 * time.Minute
)

// maxLines is the most lines of one version's texts, and of all cached ones together. GitLab takes 100,000
// at most (docs.gitlab.com/administration/diff_limits). Files beyond it count as omitted.
const maxLines = 150_000

// cachedPlaces returns the cached places of a version, or nil.
func (h *Host) cachedPlaces(repo codehost.Repo, number int, commit string) *places {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, p := range h.places {
		if p.project == repo.FullName() && p.number == number && p.head == commit && time.Since(p.read) < placesLast {
			return p
		}
	}
	return nil
}

// cachePlaces caches the places of a version, newest first.
func (h *Host) cachePlaces(p *places) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.places = slices.DeleteFunc(h.places, func(o *places) bool { return o.project == p.project && o.number == p.number && o.head == p.head })
	h.places = slices.Insert(h.places, 0, p)
	h.places = h.places[:min(len(h.places), maxPlaces)]
	lines := 0
	for i, kept := range h.places {
		if lines += kept.lines; i > 0 && lines > maxLines {
			clear(h.places[i:])
			h.places = h.places[:i]
			break
		}
	}
}

// maxVersions is the most versions of a merge request that are searched for a commit.
const maxVersions = 500

// placesAt reads the version of a merge request with a commit as head. Recent versions are cached, because
// the comments of a review need the same version.
func (h *Host) placesAt(ctx context.Context, op string, repo codehost.Repo, number int, commit string) (*places, error) {
	if kept := h.cachedPlaces(repo, number, commit); kept != nil {
		return kept, nil
	}
	found, whole, err := listAll(ctx, h, op, maxVersions, func(c *sdk.Client, with sdk.RequestOptionFunc,
		page sdk.ListOptions) ([]*sdk.MergeRequestDiffVersion, *sdk.Response, error) {
		return c.MergeRequests.GetMergeRequestDiffVersions(repo.FullName(), int64(number),
			&sdk.GetMergeRequestDiffVersionsOptions{ListOptions: page}, with)
	}, func(v *sdk.MergeRequestDiffVersion) (int64, bool) {
		if v == nil || v.HeadCommitSHA != commit {
			return 0, false
		}
		return v.ID, true
	})
	switch {
	case err != nil:
		return nil, err
	case len(found) == 0 && !whole:
		return nil, wire.TooMany(op, maxVersions, "versions of the merge request")
	case len(found) == 0:
		return nil, codehost.Refused(op, "the commit was never the head of the merge request")
	}
	var version *sdk.MergeRequestDiffVersion
	err = h.run(ctx, &wire.Call{Op: op, Key: h.instance.Key, Bytes: wire.MaxDiffs},
		func(c *sdk.Client, with sdk.RequestOptionFunc) (err error) {
			// The newest.
			version, _, err = c.MergeRequests.GetSingleMergeRequestDiffVersion(repo.FullName(), int64(number), found[0], nil, with)
			return err
		})
	if err != nil {
		return nil, err
	}
	if version.ID != found[0] {
		return nil, unexpected(op, "the answer is not the version")
	}
	out := &places{project: repo.FullName(), number: number, head: commit, files: map[string]*placedFile{}, read: time.Now(),
		refs: sdk.MergeRequestDiffRefs{BaseSha: version.BaseCommitSHA, StartSha: version.StartCommitSHA, HeadSha: version.HeadCommitSHA}}
	for _, d := range version.Diffs {
		if d == nil {
			continue
		}
		f := &placedFile{oldPath: d.OldPath, newPath: d.NewPath}
		if n := strings.Count(d.Diff, "\n"); out.lines+n <= maxLines {
			f.hunks = hunksOf(ctx, d)
			out.lines += n
		}
		out.files[d.NewPath] = f
		if d.DeletedFile {
			out.files[d.OldPath] = f
		}
	}
	h.cachePlaces(out)
	return out, nil
}

// withOmittedTexts returns the places with the texts that the version omits because they are collapsed or too
// large. They come from the diff of git (lib/api/merge_requests.rb of gitlab-org/gitlab, raw_diffs:
// send_git_diff between the diff refs of the merge request). The diff is of the newest version, so an
// older version stays incomplete.
func (h *Host) withOmittedTexts(ctx context.Context, op string, repo codehost.Repo, p *places) (*places, error) {
	m, err := h.pull(ctx, op, repo, p.number)
	if err != nil {
		return nil, err
	}
	out := *p
	out.byGit = true
	if m.DiffRefs.HeadSha == p.refs.HeadSha && m.DiffRefs.BaseSha == p.refs.BaseSha {
		raw, err := h.Diff(ctx, repo, p.number)
		// An older GitLab has no raw_diffs.
		if class := codehost.ClassOf(err); err != nil && class != codehost.ClassTooLarge && class != codehost.ClassNotFound {
			return nil, err
		}
		set, bad := diff.ParseContext(ctx, raw)
		if err != nil || bad != nil {
			set = &diff.Set{}
		}
		out.files = maps.Clone(p.files)
		for _, f := range set.Files {
			if old := out.files[f.Path]; old != nil && old.hunks == nil && len(f.Hunks) > 0 {
				out.files[f.Path] = &placedFile{oldPath: old.oldPath, newPath: old.newPath, hunks: f.Hunks}
			}
		}
	}
	h.cachePlaces(&out)
	return &out, nil
}

// hunksOf parses the text of a file. It returns nil for an unreadable text.
func hunksOf(ctx context.Context, d *sdk.Diff) []*diff.Hunk {
	if !strings.HasPrefix(d.Diff, "@@") {
		return nil
	}
	// The parser needs a file name; any name will do.
	set, err := diff.ParseContext(ctx, []byte("diff --git a/file b/file\n--- a/file\n+++ b/file\n"+d.Diff))
	if err != nil || len(set.Files) != 1 {
		return nil
	}
	return set.Files[0].Hunks
}

// numbers holds a line's numbers on both sides, 0 on a side without it, and the two numbers for the line's
// code.
type numbers struct {
	old, now         int
	codeOld, codeNow int
	shown            bool // in a hunk
}

// lineNumbers returns the numbers of a line of one side. An unchanged line has both numbers. Outside the hunks,
// the changes above a line determine their difference.
//
// The code of a line counts from the numbers in its hunk's header, which are 0 for an empty side. So a new
// file has the codes _0_1, _0_2 and so on, and a deleted one _1_0, _2_0 (lib/gitlab/diff/parser.rb and
// lib/gitlab/diff/file.rb, line_code, of gitlab-org/gitlab).
func (f *placedFile) lineNumbers(side string, line int) numbers {
	shift := 0 // new number minus old number
	for _, h := range f.hunks {
		old, now := h.OldStart, h.NewStart
		lessOld, lessNow := 0, 0 // difference between a line's number and its number in the code
		if h.OldLines == 0 {
			old, lessOld = old+1, 1 // git names the line before
		}
		if h.NewLines == 0 {
			now, lessNow = now+1, 1
		}
		if side == string(domain.Right) && line < now || side == string(domain.Left) && line < old {
			break
		}
		for _, l := range h.Lines {
			at := numbers{codeOld: old - lessOld, codeNow: now - lessNow, shown: true}
			switch l.Op {
			case diff.Add:
				at.now = now
				now++
			case diff.Delete:
				at.old = old
				old++
			default:
				at.old, at.now = old, now
				old, now = old+1, now+1
			}
			if side == string(domain.Right) && at.now == line || side == string(domain.Left) && at.old == line {
				return at
			}
		}
		shift = now - old
	}
	if side == string(domain.Right) {
		return numbers{old: line - shift, now: line, codeOld: line - shift, codeNow: line}
	}
	return numbers{old: line, now: line + shift, codeOld: line, codeNow: line + shift}
}

// position returns the place of a comment in GitLab's words (docs.gitlab.com/api/discussions, "Create a
// thread in the merge request diff"). An added line has a new number, a removed line an old one, an
// unchanged line both.
func (p *places) position(op string, c codehost.DraftComment) (*sdk.PositionOptions, error) {
	f := p.files[c.Path]
	if f == nil {
		return nil, codehost.Refused(op, "the change has no file %q", c.Path)
	}
	if f.hunks == nil {
		return nil, codehost.Refused(op, "the host shows no text of %q", c.Path)
	}
	last := f.lineNumbers(c.Side, c.Line)
	if !last.shown && (last.old <= 0 || last.now <= 0) {
		return nil, codehost.Refused(op, "line %d of %q (%s) is not in the change", c.Line, c.Path, c.Side)
	}
	out := &sdk.PositionOptions{BaseSHA: &p.refs.BaseSha, StartSHA: &p.refs.StartSha, HeadSHA: &p.refs.HeadSha, PositionType: sdk.Ptr("text"),
		OldPath: &f.oldPath, NewPath: &f.newPath, OldLine: optionalLine(last.old), NewLine: optionalLine(last.now)}
	if c.StartLine > 0 && c.StartLine < c.Line {
		out.LineRange = &sdk.LineRangeOptions{Start: f.rangeEnd(f.lineNumbers(c.Side, c.StartLine)), End: f.rangeEnd(last)}
	}
	return out, nil
}

// rangeEnd returns one end of a range. The type is "new" for added lines and "old" for all others, as on the
// page named above.
func (f *placedFile) rangeEnd(n numbers) *sdk.LinePositionOptions {
	kind := "old"
	if n.old == 0 {
		kind = "new"
	}
	sum := sha1.Sum([]byte(f.newPath))
	code := fmt.Sprintf("%s_%d_%d", hex.EncodeToString(sum[:]), n.codeOld, n.codeNow)
	return &sdk.LinePositionOptions{LineCode: &code, Type: &kind, OldLine: optionalLine(n.old), NewLine: optionalLine(n.now)}
}

// placeOf computes the place of a comment, and refuses a place that does not exist. GitLab accepts a draft
// at any place, but makes no comment of it if the place does not exist (app/models/draft_note.rb and
// app/models/diff_note.rb of gitlab-org/gitlab).
func (h *Host) placeOf(ctx context.Context, op string, repo codehost.Repo, number int, commit string,
	c codehost.DraftComment) (*sdk.PositionOptions, error) {
	p, err := h.placesAt(ctx, op, repo, number, commit)
	if err != nil {
		return nil, err
	}
	if f := p.files[c.Path]; f != nil && f.hunks == nil && !p.byGit {
		if p, err = h.withOmittedTexts(ctx, op, repo, p); err != nil {
			return nil, err
		}
	}
	at, err := p.position(op, c)
	if err != nil || p.files[c.Path].lineNumbers(c.Side, c.Line).shown {
		return at, err
	}
	path, sha := *at.NewPath, p.refs.HeadSha // an unchanged line outside all hunks must exist in the file
	if c.Side == string(domain.Left) {
		path, sha = *at.OldPath, p.refs.BaseSha
	}
	text, err := h.Content(ctx, repo, path, sha)
	if class := codehost.ClassOf(err); err != nil && class != codehost.ClassNotFound && class != codehost.ClassTooLarge {
		return nil, err
	}
	if lines := bytes.Count(text, []byte{'\n'}) + min(len(text)-bytes.LastIndexByte(text, '\n')-1, 1); c.Line > lines {
		return nil, codehost.Refused(op, "%q has no line %d (%s)", c.Path, c.Line, c.Side)
	}
	return at, nil
}

func optionalLine(n int) *int64 {
	if n <= 0 {
		return nil
	}
	return sdk.Ptr(int64(n))
}

// checkNote returns an error for a comment that GitLab would refuse, before a request is sent.
func (h *Host) checkNote(op string, repo codehost.Repo, number int, commit string, c codehost.DraftComment) error {
	if err := checkPull(op, repo, number); err != nil {
		return err
	}
	return wire.CheckNote(op, h.Capabilities(), commit, c)
}
