package site

import (
	"fmt"

	"github.com/assay-dev/assay/internal/testkit"
)

// Connection is the part of a provider connection that tests read.
type Connection struct {
	ID, State, Message, Owner string
	LastSync                  *struct {
		State, Error string
		Counts       map[string]int
		Notes        []string
	}
}

// Synced waits until no sync of a connection is under way and returns the connection. The person is a
// member of its tenant.
func (p *Person) Synced(tenant, id string) (got Connection) {
	p.site.t.Helper()
	testkit.Eventually(p.site.t, Patience, func() (bool, string) {
		var list struct{ Items []Connection }
		p.Get("/api/tenants/"+tenant+"/provider-connections", &list)
		for _, c := range list.Items {
			if c.ID == id {
				got = c
			}
		}
		ended := got.LastSync != nil && (got.LastSync.State == "completed" || got.LastSync.State == "failed")
		return ended, fmt.Sprintf("the connection is %+v, its synchronisation %+v", got, got.LastSync)
	})
	return got
}
