package engine

import "github.com/assay-dev/assay/internal/diff"

// modelSilent is a reason that the command line alone gives, in English.
const modelSilent = "the model did not read it"

// Explain completes the coverage of a review outside of the service. If a model was named and did not take part, the files that it
// should have read are unread. A file that was checked because it has no lines to show gets that as its reason.
func (r *Result) Explain() {
	for _, l := range [][]FileNote{r.Coverage.Reviewed, r.Coverage.Skimmed, r.Coverage.Skipped} {
		for i := range l {
			n := &l[i]
			f := r.Diff.File(n.Path)
			if n.Extent == ExtentPart && r.ModelState == ModelUnavailable && f != nil && !f.Class.Ignored() {
				n.Extent = ExtentUnread
			}
			if n.Extent != ExtentChecked {
				continue
			}
			still := unchanged(f)
			switch {
			case still != "" && (n.Why == "" || n.ForModel() && r.ModelState == ModelUnavailable):
				n.Why = still
			case r.ModelState != ModelUnavailable:
			case n.ForModel():
				n.Extent, n.Why = ExtentUnread, modelSilent
			case n.unproven(), n.unseen() && f != nil && !f.Class.Ignored():
				n.Extent = ExtentUnread
			}
		}
	}
}

// unchanged says why a file has no lines to show, "" if it has some or is not part of the change.
func unchanged(f *diff.File) string {
	switch {
	case f == nil || f.Status != diff.Deleted && len(f.Hunks) > 0:
		return ""
	case f.Status == diff.Deleted:
		return whyDeleted
	}
	return whyNoLine
}
