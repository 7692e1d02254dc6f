package engine

import (
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

// keepSecretsFolded gives earlier findings of secrets the further places that their values have now. A place that an earlier review has
// listed stays a place of the earlier finding. A place that is new to the pull request becomes a finding of its own.
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
			if k.Origin == domain.OriginSecret && k.SameSecret(it.Finding) && (k.Published() || k.State != domain.FindingOpen) {
				addPlace(k, it)
				it.ToldBy = finding.AtPlace
				break
			}
		}
	}
}
