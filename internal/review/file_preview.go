package review

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/review/engine"
	"github.com/assay-dev/assay/internal/review/repofile"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/wording"
)

// Bounds of the notices about a change of the repository's file.
const (
	previewReviews = 50 // past reviews that are looked at
	previewLines   = 3  // entries without an effect that are named
)

// sideTree is one side of a change.
type sideTree struct {
	snap Snapshot
	side domain.Side
}

// Blob implements [repofile.Tree].
func (t sideTree) Blob(ctx context.Context, path string) ([]byte, error) {
	return t.snap.Blob(ctx, t.side, path)
}

// previewFile tells what a change of the repository's file would change after its merge: settings and rules, past reviews, and
// entries without an effect. It returns nothing if the change leaves the file as it is, or if the policy ignores the file. The
// subject has its policy by [Subject.withFile]. It asks no model and changes nothing.
func (g Gatherer) previewFile(ctx context.Context, s Subject, snap Snapshot, rawDiff []byte) ([]string, error) {
	if !s.readsFile() || !bytes.Contains(rawDiff, []byte(policy.FileName)) {
		return nil, nil
	}
	before, err := repofile.Read(ctx, sideTree{snap, domain.Left}, "")
	if err != nil {
		return nil, previewError(err)
	}
	after, err := repofile.Read(ctx, sideTree{snap, domain.Right}, "")
	if err != nil {
		return nil, previewError(err)
	}
	if store.JSON(before) == store.JSON(after) {
		return nil, nil
	}
	now, err := policy.ResolveAll(s.Levels)
	if err != nil {
		return nil, err
	}
	s.Levels.File = store.JSON(after)
	then, err := policy.ResolveAll(s.Levels)
	if err != nil {
		return nil, err
	}
	out := []string{wording.English(wording.NoticeFileSame, policy.FileName)}
	if names := policy.Differences(now, then); len(names) > 0 {
		out[0] = wording.English(wording.NoticeFileSettings, policy.FileName, cut(names, maxPreviewNames, ", "))
		differ, looked, err := g.wouldDiffer(ctx, s, now.Policy, then.Policy)
		if err != nil {
			return nil, err
		}
		if looked > 0 {
			out = append(out, wording.English(wording.NoticeFileReviews, differ, looked))
		}
	}
	if len(then.Notes) > 0 {
		lines := make([]string, len(then.Notes))
		for i, n := range then.Notes {
			lines[i] = n.String()
		}
		out = append(out, wording.English(wording.NoticeFileRefused, cut(lines, previewLines, "; ")))
	}
	return out, nil
}

// maxPreviewNames is how many changed settings a notice names.
const maxPreviewNames = 10

// cut joins texts, and counts those beyond a bound.
func cut(texts []string, most int, between string) string {
	if more := len(texts) - most; more > 0 {
		texts = append(slices.Clone(texts[:most]), fmt.Sprintf("%d more", more))
	}
	return strings.Join(texts, between)
}

// previewError leaves the preview out if the host refuses to give a file, and returns other errors.
func previewError(err error) error {
	if c := codehost.ClassOf(err); c == codehost.ClassForbidden || c == codehost.ClassInvalid {
		return nil
	}
	return err
}

// wouldDiffer counts the reviews among the last ones of the repository that would have shown their findings elsewhere, or not at
// all, and those that were looked at.
func (g Gatherer) wouldDiffer(ctx context.Context, s Subject, now, then domain.Policy) (differ, looked int, err error) {
	past, err := g.Store.PublishedReviews(ctx, s.Tenant, s.Repository, previewReviews)
	if err != nil {
		return 0, 0, err
	}
	for _, run := range past {
		var summary struct {
			Additions int  `json:"additions"`
			Deletions int  `json:"deletions"`
			Basis     bool `json:"basis"`
		}
		if json.Unmarshal([]byte(run.Summary), &summary) != nil || !summary.Basis {
			continue // made before the basis of findings was stored
		}
		found, err := g.Store.RunFindings(ctx, s.Tenant, run.ID)
		if err != nil {
			return 0, 0, err
		}
		looked++
		found = slices.DeleteFunc(found, func(f domain.Finding) bool { return f.Basis == nil || f.State != domain.FindingOpen })
		lines := summary.Additions + summary.Deletions
		a, b := engine.Reroute(found, lines, now), engine.Reroute(found, lines, then)
		if !slices.EqualFunc(a, b, func(x, y engine.Placed) bool { return x.Route == y.Route && x.Gone == y.Gone }) {
			differ++
		}
	}
	return differ, looked, nil
}
