package check

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/wording"
)

// workflow checks workflows of GitHub Actions and of the hosts that follow its format: wider token
// permissions, and privileged triggers that run the code of the pull request
// (https://securitylab.github.com/resources/github-actions-preventing-pwn-requests/).
func workflow(ctx context.Context, f *diff.File, src Source) (checkResult, error) {
	if f.Status == diff.Deleted || len(f.Hunks) == 0 || !isWorkflow(f.Path) {
		return checkResult{}, nil
	}
	after, err := head(ctx, src, f.Path)
	if err != nil || after == nil {
		return checkResult{}, err
	}
	now, unread := readWorkflow(after)
	if unread {
		return checkResult{unread: WhyWorkflow}, nil
	}
	var before workflowFacts
	if base := f.BasePath(); base != "" {
		old, err := src.Blob(ctx, domain.Left, base)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return checkResult{}, err
		}
		before, _ = readWorkflow(old) // an unreadable workflow granted nothing, so all present grants are new
	}
	var out checkResult
	for _, g := range now.grants {
		if err := ctx.Err(); err != nil {
			return checkResult{}, err
		}
		at, changed := firstAdded(f, g.lines)
		if !changed || slices.ContainsFunc(before.grants, func(o grant) bool { return o.covers(g) }) {
			continue
		}
		out.seen = append(out.seen, g.sighting(Place(f, at, at)))
	}
	for _, g := range now.inherited(before) {
		out.seen = append(out.seen, g.sighting(removal(f, g.lines[0])))
	}
	if jobs := now.unrestricted(before); len(jobs) > 0 {
		about := "unrestricted"
		for _, g := range jobs {
			about += "\x00" + g.job
		}
		says := wording.English(wording.SayUnrestricted)
		f := permissionsFinding(domain.High, says, about, removal(f, jobs[0].lines[0]))
		f.FirstPlace = "unrestricted\x00" + jobs[0].job
		out.seen = append(out.seen, sightingOf(f))
	}
	out.addCheckouts(f, now)
	return out, nil
}

// addCheckouts reports the new checkouts of the head in a workflow with a privileged trigger, as [perPlace] divides them. If
// the trigger is new, one more finding is about the checkouts that were there.
func (r *checkResult) addCheckouts(f *diff.File, now workflowFacts) {
	if now.trigger == nil {
		return
	}
	var added, present []checkout
	for _, c := range now.checkouts {
		if _, is := firstAdded(f, c.lines); is {
			added = append(added, c)
		} else {
			present = append(present, c)
		}
	}
	groups := perPlace(added)
	if _, is := firstAdded(f, now.trigger); is && len(present) > 0 {
		groups = append(groups, present)
	}
	for _, group := range groups {
		at, _ := firstAdded(f, slices.Concat(group[0].lines, now.trigger))
		r.seen = append(r.seen, sightingOf(domain.Finding{
			Origin: domain.OriginStatic, RuleID: "assay/ci-untrusted-checkout", Category: domain.CategorySecurity, Severity: domain.Critical,
			Title: wording.English(wording.TitleCheckout), Explanation: wording.English(wording.SayCheckout), Anchor: Place(f, at, at),
			Subject: nameCheckouts(group), FirstPlace: nameCheckouts(group[:1]),
		}))
	}
	if len(added) > maxPlaceFindings {
		r.unread = WhyCut
	}
}

// nameCheckouts returns a text that names the jobs and their references, with each text once.
func nameCheckouts(group []checkout) string {
	var out []string
	known := map[string]bool{}
	for _, c := range group {
		out = append(out, "job "+c.job)
		for _, text := range []string{c.ref, c.repository} {
			if !known[text] {
				known[text] = true
				out = append(out, clip.Line(text))
			}
		}
	}
	return strings.Join(out, "\x00")
}

func firstAdded(f *diff.File, lines []int) (int, bool) {
	for _, n := range lines {
		if n > 0 && isAdded(f, n) {
			return n, true
		}
	}
	return 0, false
}

// sighting reports a new permission.
func (g grant) sighting(at domain.Anchor) sighting {
	severity, says := domain.Medium, wording.English(wording.SayPermission, "\""+visible(clip.Runes(g.scope, 50, "…"))+": write\"")
	if g.scope == allScopes {
		severity, says = domain.High, wording.English(wording.SayPermissions)
	} else if strings.HasPrefix(g.scope, "id-token") || strings.HasPrefix(g.scope, "contents") || strings.HasPrefix(g.scope, "actions") {
		severity = domain.High
	}
	return sightingOf(permissionsFinding(severity, says, "write\x00"+g.job+"\x00"+g.scope, at))
}

// permissionsFinding returns a finding about wider permissions. about distinguishes findings on one line.
func permissionsFinding(severity domain.Severity, says, about string, at domain.Anchor) domain.Finding {
	return domain.Finding{
		Origin: domain.OriginStatic, RuleID: "assay/ci-permissions", Category: domain.CategorySecurity, Severity: severity,
		Title: wording.English(wording.TitlePermissions), Explanation: says, Anchor: at, Subject: about,
	}
}

func isWorkflow(name string) bool {
	dir, ext := strings.ToLower(path.Dir(name)), strings.ToLower(path.Ext(name))
	return (ext == ".yml" || ext == ".yaml") && (dir == ".github/workflows" || dir == ".gitea/workflows" || dir == ".forgejo/workflows")
}
