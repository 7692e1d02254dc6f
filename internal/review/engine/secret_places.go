package engine

import (
	"slices"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/finding"
	"github.com/assay-dev/assay/internal/review/reconcile"
)

// foldSecrets keeps one new finding per value of a secret, the first by rank, and lists the places of the others as its evidence.
// Secrets whose values are unknown stay apart.
func foldSecrets(items []*finding.Item) {
	first := map[string]*finding.Item{}
	for _, it := range items {
		if it.Known || !it.Published() || it.Origin != domain.OriginSecret || len(it.SecretDigests) == 0 ||
			it.Anchor.Level != domain.AnchorLine {
			continue
		}
		head := first[it.SecretDigests[0]]
		if head == nil {
			first[it.SecretDigests[0]] = it
			continue
		}
		addPlace(head, it)
		it.Route, it.Why = domain.RouteStored, whyRepeated
	}
}

// keepSecretsFolded gives earlier findings of secrets the further places that their values have now. A place that the earlier finding has
// listed stays its place. A place that is new to the pull request becomes a finding of its own, and so does one whose first place is gone.
func keepSecretsFolded(rec *reconcile.Result) {
	for _, k := range rec.Carried {
		if k.Origin == domain.OriginSecret && k.Stands {
			k.KeepPlaces(func(int) bool { return false })
		}
	}
	for _, it := range rec.Fresh {
		before, known := rec.Known[it.ID]
		if it.Origin != domain.OriginSecret || !known || before.State != domain.FindingOpen || before.Route != domain.RouteStored {
			continue
		}
		for _, k := range rec.Carried {
			if k.Origin == domain.OriginSecret && k.SameSecret(it.Finding) && hadPlace(rec.Known[k.ID], before.Anchor.Path) {
				addPlace(k, it)
				it.ToldBy = finding.AtPlace
				break
			}
		}
	}
}

// hadPlace reports whether a finding has a further place in a file.
func hadPlace(f domain.Finding, path string) bool {
	return slices.ContainsFunc(f.AlsoAt(), func(e domain.Evidence) bool { return e.Path == path })
}
