package store

import (
	"context"

	"github.com/assay-dev/assay/internal/domain"
)

// naming is what the findings of one pull request are called, while a run
// chooses rows for its own.
type naming struct {
	owner map[string]string // exact print to the row that it names
	rows  map[string]bool   // ids of all rows
	taken map[string]bool   // rows of this run's findings
}

// name is an exact print and the row that it names.
type name struct{ exact, finding string }

// names lists the prints of a pull request's findings. A row without any was
// made by a worker of a version that wrote the column exact alone: it is known
// by that, unless the print names another row.
func (s *Store) names(ctx context.Context, t domain.Tenant, pull string) ([]name, error) {
	return many(ctx, s, func(r scanner, n *name) error { return r.Scan(&n.exact, &n.finding) },
		`SELECT exact, finding_id FROM finding_prints WHERE tenant_id = $1 AND pull_request_id = $2
		UNION ALL SELECT f.exact, f.id FROM findings f WHERE f.tenant_id = $1 AND f.pull_request_id = $2 AND f.exact <> '' AND f.exact <> f.id AND NOT EXISTS (
			SELECT 1 FROM finding_prints p WHERE p.tenant_id = f.tenant_id AND p.pull_request_id = f.pull_request_id AND (p.finding_id = f.id OR p.exact = f.exact))
		ORDER BY 1`, t.ID, pull)
}

// naming reads the names under a lock of the pull request's row, which the
// caller's transaction holds to its end: runs that save at once take turns, so
// that what one decides by the names is still so when it writes.
func (s *Store) naming(ctx context.Context, t domain.Tenant, pull string) (*naming, error) {
	if _, err := s.PullRequestForUpdate(ctx, t, pull); err != nil {
		return nil, err
	}
	ids, err := many(ctx, s, value[string], `SELECT id FROM findings WHERE tenant_id = $1 AND pull_request_id = $2`, t.ID, pull)
	if err != nil {
		return nil, err
	}
	names, err := s.names(ctx, t, pull)
	if err != nil {
		return nil, err
	}
	n := &naming{owner: map[string]string{}, rows: map[string]bool{}, taken: map[string]bool{}}
	for _, id := range ids {
		n.rows[id] = true
	}
	for _, one := range names {
		n.owner[one.exact] = one.finding
	}
	return n, nil
}

// choose gives each finding of a run its row and a print that names this row
// alone. A finding that says by its id which row it is keeps that; another takes
// the row that its print names, or a new one. Two findings never get one row,
// and a print never moves: where it names another row already, the finding gets
// one of its own, made of the print and its id.
func (n *naming) choose(found []domain.Finding) {
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
		case owner != "" && !n.taken[owner]:
			f.ID = owner
		case f.ID == "" || n.rows[f.ID] || n.taken[f.ID]:
			f.ID = domain.NewID("fnd")
		}
		n.taken[f.ID] = true
	}
	for i := range found {
		p := &found[i].Fingerprints
		if p.Exact == "" { // it could not be computed: known by its id alone
			continue
		}
		if owner := n.owner[p.Exact]; owner != "" && owner != found[i].ID {
			p.Exact += ":" + found[i].ID
		}
		n.owner[p.Exact] = found[i].ID
	}
}
