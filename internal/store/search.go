package store

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/internal/domain"
)

// SearchFilter selects what a person looks for by a part of its title. Case is ignored, for letters beyond ASCII only if the
// database does so.
type SearchFilter struct {
	User  string // only repositories on which the host gave this person a role within the last hour; "" for all
	Text  string // a part of the title; for pull requests also the number, with or without #
	Limit int
}

// FoundPull is a pull request that a search found. Title and author are text from outside.
type FoundPull struct {
	Repository, Owner, Name string
	Number                  int
	Title, Author, State    string
}

// SearchPulls lists pull requests of a tenant by number or title: open ones first, then those that the host changed last.
func (s *Store) SearchPulls(ctx context.Context, t domain.Tenant, f SearchFilter) ([]FoundPull, error) {
	number, err := strconv.ParseInt(strings.TrimPrefix(f.Text, "#"), 10, 32)
	if err != nil {
		number = 0
	}
	c := conditions{text: `SELECT repository_id, h_owner, h_name, number, title, author, state FROM pull_requests
		JOIN (SELECT id AS h_id, tenant_id AS h_tenant, owner AS h_owner, name AS h_name FROM repositories) h ON h_tenant = tenant_id
			AND h_id = repository_id
		WHERE tenant_id = $1`, args: []any{t.ID}}
	c.and(`(number = ? OR LOWER(title) LIKE LOWER(?) ESCAPE '\')`, number, containing(f.Text))
	if f.User != "" {
		c.and(visibleTo, f.User)
	}
	c.then(` ORDER BY CASE WHEN number = ? THEN 0 WHEN state = 'open' THEN 1 ELSE 2 END, host_updated_us DESC, number DESC LIMIT ?`,
		number, f.Limit)
	return many(ctx, s, func(r scanner, v *FoundPull) error {
		return r.Scan(&v.Repository, &v.Owner, &v.Name, &v.Number, &v.Title, &v.Author, &v.State)
	}, c.text, c.args...)
}

// maxSearched is the number of open findings whose titles [Store.SearchFindings] compares: the newest of those that published
// reviews of open pull requests show (design choice).
const maxSearched = 1000

// SearchFindings lists the newest open findings of a tenant by a part of their titles, among the newest [maxSearched]. It
// returns more if older findings were not compared.
func (s *Store) SearchFindings(ctx context.Context, t domain.Tenant, f SearchFilter) (found []TenantFinding, more bool, err error) {
	text, args, err := TenantFindingsFilter{User: f.User, State: domain.FindingOpen, OpenPulls: OnlyYes, Published: OnlyYes}.
		page(t, FindingsPage{Order: NewestFirst, Limit: maxSearched + 1}, `id, body FROM findings`)
	if err != nil {
		return nil, false, err
	}
	part, compared := strings.ToLower(f.Text), 0
	var ids []string
	err = s.rows(ctx, s.db.Read, text, args, func(r scanner) error {
		var id, body string
		if err := r.Scan(&id, &body); err != nil {
			return err
		}
		if compared++; compared > maxSearched || len(ids) >= f.Limit {
			return nil
		}
		var of struct{ Title string }
		if err := json.Unmarshal([]byte(body), &of); err != nil {
			return fmt.Errorf("the stored finding %s: %w", id, err)
		}
		if strings.Contains(strings.ToLower(of.Title), part) {
			ids = append(ids, id)
		}
		return nil
	})
	if err != nil {
		return nil, false, err
	}
	found, err = manyIn(ctx, s, scanTenantFinding, ids, `SELECT `+tenantFindingRows+` WHERE tenant_id = $1 AND findings.id IN ({list})
		ORDER BY findings.created_us DESC, findings.id DESC`, t.ID)
	return found, compared > maxSearched, err
}
