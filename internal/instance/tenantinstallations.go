package instance

import (
	"context"
	"time"

	"github.com/assay-dev/assay/internal/codehost/github"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
)

// TenantInstallation is an installation of an app for the admins of its tenant.
type TenantInstallation struct {
	ID           string    `json:"id"`
	Kind         string    `json:"kind" enum:"github"`
	Account      string    `json:"account" doc:"Text from outside" example:"octo"`
	AccountType  string    `json:"accountType" doc:"As the host says" example:"Organization"`
	HostURL      string    `json:"hostUrl" example:"https://github.com"`
	State        string    `json:"state" enum:"active,suspended,deleted" doc:"suspended: the host lets the app do nothing until it is allowed again; deleted: it was removed, and its repositories are disconnected"`
	Repositories int64     `json:"repositories" doc:"That are connected now"`
	ManageURL    string    `json:"manageUrl" doc:"Where the host changes which repositories the app has, and removes it"`
	CreatedAt    time.Time `json:"createdAt"`
}

// TenantInstallations lists the installations of a tenant, newest first.
func (s *Service) TenantInstallations(ctx context.Context, t domain.Tenant, before store.Cursor, limit int) ([]TenantInstallation, error) {
	rows, err := s.Store.TenantInstallations(ctx, t, before, limit)
	out := []TenantInstallation{}
	for _, r := range rows {
		out = append(out, TenantInstallation{ID: r.ID, Kind: store.KindGitHub, Account: r.AccountLogin, AccountType: r.AccountType,
			HostURL: r.WebURL, State: string(r.State), Repositories: r.Repositories,
			ManageURL: github.ManageURL(r.WebURL, r.AccountType, r.AccountLogin, r.ExternalID), CreatedAt: store.Time(r.CreatedUS)})
	}
	return out, err
}
