package gitlab

import (
	"bytes"
	"context"
	"crypto/sha1" // the host's: an identifier of a line, not a proof of anything
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

// places are the lines of a version of a merge request, and the commits between which
// they were compared. It does not change once it was read.
type places struct {
	project, head string
	number, lines int
	refs          sdk.MergeRequestDiffRefs
	files         map[string]*placedFile // by the path after the change, and of a removed one by that before
	byGit         bool                   // what the version leaves out was looked for in the diff of git
	read          time.Time
}

// placedFile is a changed file. hunks is nil where it has no text, or the host leaves it out.
type placedFile struct {
	oldPath, newPath string
	hunks            []*diff.Hunk
}

// Of how many versions the places are kept, and how long: a merge request that is sent to
// another branch has a new version with the same head (design choices).
const (
	maxPlaces  = 8
	placesLast = 2 * time.Minute
)

// maxLines bounds the lines of the texts of a version, and of those that are kept together.
// GitLab takes 100,000 at most (docs.gitlab.com/administration/diff_limits); a file beyond it
// counts as one that the host leaves out.
const maxLines = 150_000

// remembered are the places of a version that were read before; nil for none.
func (h *Host) remembered(repo codehost.Repo, number int, commit string) *places {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, p := range h.places {
		if p.project == repo.FullName() && p.number == number && p.head == commit && time.Since(p.read) < placesLast {
			return p
		}
	}
	return nil
}

// remember keeps the places of a version, the newest ones first.
func (h *Host) remember(p *places) {
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

// maxVersions bounds the versions of a merge request that are looked through for a
// commit.
const maxVersions = 500

// placesAt reads the version of a merge request whose head a commit is. Those of the
// last questions are kept: the comments of a review ask one after the other.
func (h *Host) placesAt(ctx context.Context, op string, repo codehost.Repo, number int, commit string) (*places, error) {
	if kept := h.remembered(repo, number, commit); kept != nil {
		return kept, nil
	}
	found, whole, err := all(ctx, h, op, maxVersions, func(c *sdk.Client, with sdk.RequestOptionFunc, page sdk.ListOptions) ([]*sdk.MergeRequestDiffVersion, *sdk.Response, error) {
		return c.MergeRequests.GetMergeRequestDiffVersions(repo.FullName(), int64(number), &sdk.GetMergeRequestDiffVersionsOptions{ListOptions: page}, with)
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
	err = h.run(ctx, &wire.Call{Op: op, Key: h.at.Key, Bytes: wire.MaxDiffs}, func(c *sdk.Client, with sdk.RequestOptionFunc) (err error) {
		version, _, err = c.MergeRequests.GetSingleMergeRequestDiffVersion(repo.FullName(), int64(number), found[0], nil, with) // the newest
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
	h.remember(out)
	return out, nil
}

// unfolded are the places with the texts that the version leaves out because they are
// collapsed or too large: the diff of git has them
// (lib/api/merge_requests.rb of gitlab-org/gitlab, raw_diffs: send_git_diff between the diff refs of the merge
// request). It is that of the newest version; of an older one they stay out.
func (h *Host) unfolded(ctx context.Context, op string, repo codehost.Repo, p *places) (*places, error) {
	m, err := h.pull(ctx, op, repo, p.number)
	if err != nil {
		return nil, err
	}
	out := *p
	out.byGit = true
	if m.DiffRefs.HeadSha == p.refs.HeadSha && m.DiffRefs.BaseSha == p.refs.BaseSha {
		raw, err := h.Diff(ctx, repo, p.number)
		if class := codehost.ClassOf(err); err != nil && class != codehost.ClassTooLarge && class != codehost.ClassNotFound { // an older version has no raw_diffs
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
	h.remember(&out)
	return &out, nil
}

// hunksOf parses the text of a file; nil where there is none that can be read.
func hunksOf(ctx context.Context, d *sdk.Diff) []*diff.Hunk {
	if !strings.HasPrefix(d.Diff, "@@") {
		return nil
	}
	// The names do not matter here: the parser only needs a file to have some.
	set, err := diff.ParseContext(ctx, []byte("diff --git a/file b/file\n--- a/file\n+++ b/file\n"+d.Diff))
	if err != nil || len(set.Files) != 1 {
		return nil
	}
	return set.Files[0].Hunks
}

// numbers are those of a line on both sides, 0 where it is not, and what stands for the other side in
// the code of the line.
type numbers struct {
	old, now         int
	codeOld, codeNow int
	shown            bool // in a hunk
}

// find looks for a line of one side. An unchanged line has both numbers; one that no
// hunk shows is as far from the other as the changes above it make it.
//
// The code of a line counts from the numbers of its hunk's header as they are, which name
// line 0 where a side has none: a new file has the codes _0_1, _0_2 and so on, a deleted one _1_0, _2_0
// (lib/gitlab/diff/parser.rb and lib/gitlab/diff/file.rb, line_code, of gitlab-org/gitlab).
func (f *placedFile) find(side string, line int) numbers {
	shift := 0 // of the new number against the old one
	for _, h := range f.hunks {
		old, now := h.OldStart, h.NewStart
		lessOld, lessNow := 0, 0 // by how much the code's numbers are lower
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

// position is where a comment stands, in the host's words (docs.gitlab.com/api/discussions,
// "Create a thread in the merge request diff"): an added line has a new number, a
// removed one an old one, an unchanged one both.
func (p *places) position(op string, c codehost.DraftComment) (*sdk.PositionOptions, error) {
	f := p.files[c.Path]
	if f == nil {
		return nil, codehost.Refused(op, "the change has no file %q", c.Path)
	}
	if f.hunks == nil {
		return nil, codehost.Refused(op, "the host shows no text of %q", c.Path)
	}
	last := f.find(c.Side, c.Line)
	if !last.shown && (last.old <= 0 || last.now <= 0) {
		return nil, codehost.Refused(op, "line %d of %q (%s) is not in the change", c.Line, c.Path, c.Side)
	}
	out := &sdk.PositionOptions{BaseSHA: &p.refs.BaseSha, StartSHA: &p.refs.StartSha, HeadSHA: &p.refs.HeadSha, PositionType: sdk.Ptr("text"),
		OldPath: &f.oldPath, NewPath: &f.newPath, OldLine: given(last.old), NewLine: given(last.now)}
	if c.StartLine > 0 && c.StartLine < c.Line {
		out.LineRange = &sdk.LineRangeOptions{Start: f.end(f.find(c.Side, c.StartLine)), End: f.end(last)}
	}
	return out, nil
}

// end is one end of a range. The type is "new" for an added line and "old" for all
// others, as the page named above has it.
func (f *placedFile) end(n numbers) *sdk.LinePositionOptions {
	kind := "old"
	if n.old == 0 {
		kind = "new"
	}
	sum := sha1.Sum([]byte(f.newPath))
	code := fmt.Sprintf("%s_%d_%d", hex.EncodeToString(sum[:]), n.codeOld, n.codeNow)
	return &sdk.LinePositionOptions{LineCode: &code, Type: &kind, OldLine: given(n.old), NewLine: given(n.now)}
}

// placeOf computes where a comment stands. The host takes a draft at any place, and makes no
// comment of it where the place is none (app/models/draft_note.rb and app/models/diff_note.rb of
// gitlab-org/gitlab), so that what is not there is refused here.
func (h *Host) placeOf(ctx context.Context, op string, repo codehost.Repo, number int, commit string, c codehost.DraftComment) (*sdk.PositionOptions, error) {
	p, err := h.placesAt(ctx, op, repo, number, commit)
	if err != nil {
		return nil, err
	}
	if f := p.files[c.Path]; f != nil && f.hunks == nil && !p.byGit {
		if p, err = h.unfolded(ctx, op, repo, p); err != nil {
			return nil, err
		}
	}
	at, err := p.position(op, c)
	if err != nil || p.files[c.Path].find(c.Side, c.Line).shown {
		return at, err
	}
	path, sha := *at.NewPath, p.refs.HeadSha // an unchanged line that no hunk shows: it has to be there
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

func given(n int) *int64 {
	if n <= 0 {
		return nil
	}
	return sdk.Ptr(int64(n))
}

// checkNote refuses a comment that the host would not take, before anything is sent.
func (h *Host) checkNote(op string, repo codehost.Repo, number int, commit string, c codehost.DraftComment) error {
	if err := checkPull(op, repo, number); err != nil {
		return err
	}
	able := h.Capabilities()
	most := able.MaxComment
	if c.Path == "" {
		most = able.MaxBody
	}
	if err := checkText(op, c.Body.String(), most); err != nil {
		return err
	}
	if c.Path == "" {
		if c.Side != "" || c.Line != 0 || c.StartLine != 0 {
			return codehost.Refused(op, "a comment of the conversation has no place")
		}
		return nil
	}
	switch _, ok := wire.EscapePath(c.Path); {
	case !ok:
		return codehost.Refused(op, "the comment has a path that no repository holds")
	case c.Side != string(domain.Left) && c.Side != string(domain.Right), c.Line <= 0, c.StartLine < 0, c.StartLine > c.Line:
		return codehost.Refused(op, "the comment has no place")
	case !codehost.IsCommit(commit):
		return codehost.Refused(op, "the commit must be a full commit id")
	}
	return nil
}
