package store

import (
	"context"

	"github.com/assay-dev/assay/internal/domain"
)

// lockPrints maps the fingerprints of a pull request's findings to rows, while a run assigns its findings to
// rows.
type printIndex struct {
	owner map[string]string // exact print to the id of its row
	rows  map[string]bool   // ids of all rows
	taken map[string]bool   // rows of this run's findings
}

// findingPrint is an exact print and the finding row that it identifies.
type findingPrint struct{ exact, finding string }

// listPrints lists the prints of a pull request's findings. Workers of an older version wrote only the column
// exact. The query uses that column for rows without a print, unless the print identifies another row.
func (s *Store) listPrints(ctx context.Context, t domain.Tenant, pull string) ([]findingPrint, error) {
	return many(ctx, s, func(r scanner, n *findingPrint) error { return r.Scan(&n.exact, &n.finding) },
		`SELECT exact, finding_id FROM finding_prints WHERE tenant_id = $1 AND pull_request_id = $2
		UNION ALL SELECT f.exact, f.id FROM findings f WHERE f.tenant_id = $1 AND f.pull_request_id = $2 AND f.exact <> ''
			AND f.exact <> f.id AND NOT EXISTS (
			SELECT 1 FROM finding_prints p WHERE p.tenant_id = f.tenant_id AND p.pull_request_id = f.pull_request_id
				AND (p.finding_id = f.id OR p.exact = f.exact))
		ORDER BY 1`, t.ID, pull)
}

// lockPrints reads the names and locks the pull request's row until the caller's transaction ends. Concurrent
// runs thus take turns, and the names stay valid until the run has written its findings.
func (s *Store) lockPrints(ctx context.Context, t domain.Tenant, pull string) (*printIndex, error) {
	if _, err := s.PullRequestForUpdate(ctx, t, pull); err != nil {
		return nil, err
	}
	ids, err := many(ctx, s, value[string], `SELECT id FROM findings WHERE tenant_id = $1 AND pull_request_id = $2`, t.ID, pull)
	if err != nil {
		return nil, err
	}
	names, err := s.listPrints(ctx, t, pull)
	if err != nil {
		return nil, err
	}
	n := &printIndex{owner: map[string]string{}, rows: map[string]bool{}, taken: map[string]bool{}}
	for _, id := range ids {
		n.rows[id] = true
	}
	for _, one := range names {
		n.owner[one.exact] = one.finding
	}
	return n, nil
}

// choose assigns a row and a unique print to each finding of a run. A finding whose ID is an existing row
// keeps that row. Any other finding gets the row of its print if that is its own, or a new row. No two findings share a row,
// and a print never moves to another row: a finding whose print belongs to another row gets a print made
// from that print and its own id.
func (n *printIndex) choose(found []domain.Finding) {
	var open []*domain.Finding
	for i := range found {
		f := &found[i]
		if n.rows[f.ID] && !n.taken[f.ID] {
			n.taken[f.ID] = true
			continue
		}
		open = append(open, f)
	}
	for _, f := range open {
		switch owner := n.owner[f.Fingerprints.Exact]; {
		case owner != "" && !n.taken[owner] && f.HasDistinctPrint():
			f.ID = owner
		case f.ID == "" || n.rows[f.ID] || n.taken[f.ID]:
			f.ID = domain.NewID("fnd")
		}
		n.taken[f.ID] = true
	}
	for i := range found {
		p := &found[i].Fingerprints
		if p.Exact == "" { // not computable: only its id identifies it
			continue
		}
		if owner := n.owner[p.Exact]; owner != "" && owner != found[i].ID {
			p.Exact += ":" + found[i].ID
		}
		n.owner[p.Exact] = found[i].ID
	}
}
