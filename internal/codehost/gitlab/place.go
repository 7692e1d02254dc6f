package gitlab

import (
	"context"
	"crypto/sha1" // the host's: an identifier of a line, not a proof of anything
	"encoding/hex"
	"fmt"
	"strings"

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
	number        int
	refs          sdk.MergeRequestDiffRefs
	files         map[string]*placedFile // by the path after the change, and of a removed one by that before
}

// placedFile is a changed file. hunks is nil where the host leaves its text out.
type placedFile struct {
	oldPath, newPath string
	hunks            []*diff.Hunk
}

// maxVersions bounds the versions of a merge request that are looked through for a
// commit.
const maxVersions = 500

// placesAt reads the version of a merge request whose head a commit is. The one of the
// last question is kept: the comments of a review ask one after the other.
func (h *Host) placesAt(ctx context.Context, op string, repo codehost.Repo, number int, commit string) (*places, error) {
	h.mu.Lock()
	kept := h.places
	h.mu.Unlock()
	if kept != nil && kept.project == repo.FullName() && kept.number == number && kept.head == commit {
		return kept, nil
	}
	list, _, err := all(ctx, h, op, maxVersions, func(c *sdk.Client, with sdk.RequestOptionFunc, page sdk.ListOptions) ([]*sdk.MergeRequestDiffVersion, *sdk.Response, error) {
		return c.MergeRequests.GetMergeRequestDiffVersions(repo.FullName(), int64(number), &sdk.GetMergeRequestDiffVersionsOptions{ListOptions: page}, with)
	})
	if err != nil {
		return nil, err
	}
	var found *sdk.MergeRequestDiffVersion
	for _, v := range list { // the newest first
		if v != nil && v.HeadCommitSHA == commit && found == nil {
			found = v
		}
	}
	if found == nil {
		return nil, codehost.Refused(op, "the commit was never the head of the merge request")
	}
	var version *sdk.MergeRequestDiffVersion
	err = h.read(ctx, op, func(c *sdk.Client, with sdk.RequestOptionFunc) (err error) {
		version, _, err = c.MergeRequests.GetSingleMergeRequestDiffVersion(repo.FullName(), int64(number), found.ID, nil, with)
		return err
	})
	if err != nil {
		return nil, err
	}
	if version.ID != found.ID {
		return nil, unexpected(op, "the answer is not the version")
	}
	out := &places{project: repo.FullName(), number: number, head: commit, files: map[string]*placedFile{},
		refs: sdk.MergeRequestDiffRefs{BaseSha: version.BaseCommitSHA, StartSha: version.StartCommitSHA, HeadSha: version.HeadCommitSHA}}
	for _, d := range version.Diffs {
		if d == nil {
			continue
		}
		f := &placedFile{oldPath: d.OldPath, newPath: d.NewPath, hunks: hunksOf(ctx, d)}
		out.files[d.NewPath] = f
		if d.DeletedFile {
			out.files[d.OldPath] = f
		}
	}
	h.mu.Lock()
	h.places = out
	h.mu.Unlock()
	return out, nil
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
}

// find looks for a line of one side. An unchanged line has both numbers; one that no
// hunk shows is as far from the other as the changes above it make it. added is
// assumed of a file whose text the host leaves out.
func (f *placedFile) find(side string, line int) numbers {
	shift := 0 // of the new number against the old one
	for _, h := range f.hunks {
		old, now := h.OldStart, h.NewStart
		if h.OldLines == 0 {
			old++ // git names the line before
		}
		if h.NewLines == 0 {
			now++
		}
		if side == string(domain.Right) && line < now || side == string(domain.Left) && line < old {
			break
		}
		for _, l := range h.Lines {
			at := numbers{codeOld: old, codeNow: now}
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
	switch {
	case f.hunks == nil && side == string(domain.Right):
		return numbers{now: line, codeNow: line}
	case f.hunks == nil:
		return numbers{old: line, codeOld: line}
	case side == string(domain.Right):
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
	last := f.find(c.Side, c.Line)
	if last.old < 0 || last.now < 0 {
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
