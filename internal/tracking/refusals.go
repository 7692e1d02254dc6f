package tracking

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
)

const (
	// RefusalAge is how long people read what a host refused. A synchronisation asks most of
	// it each hour; a write of a review is asked with the next one (design choice).
	RefusalAge = 7 * 24 * time.Hour

	// maxRefused is how many refusals a connection names (design choice).
	maxRefused = 10

	// OpProbe is our name of the questions of a probe, which says itself what it misses.
	OpProbe = "probe"
)

// refused returns sentences about what the hosts of connections refuse, by connection.
func (s *Service) refused(ctx context.Context, t domain.Tenant, all ...*ProviderConnection) (map[string][]string, error) {
	ids, kinds := make([]string, len(all)), map[string]domain.ConnectionKind{}
	for i, r := range all {
		ids[i], kinds[r.ID] = r.ID, domain.ConnectionKind(r.Kind)
	}
	rows, err := s.Store.HostRefusals(ctx, t, ids, RefusalAge)
	if err != nil {
		return nil, err
	}
	out, many := map[string][]string{}, map[string]int{}
	for _, v := range rows {
		if len(out[v.Connection]) == maxRefused {
			many[v.Connection]++
			continue
		}
		at := time.UnixMicro(v.AtUS).UTC().Format("2006-01-02 15:04 MST")
		out[v.Connection] = append(out[v.Connection], codehost.RefusedSentence(kinds[v.Connection], v.Op, v.Path, v.Words)+" It was refused on "+at+".")
	}
	for id, n := range many {
		out[id] = append(out[id], fmt.Sprintf("It refuses %d more kinds of requests.", n))
	}
	return out, nil
}

// warned adds what hosts refuse to the messages of connections.
func (s *Service) warned(ctx context.Context, t domain.Tenant, all ...*ProviderConnection) error {
	sentences, err := s.refused(ctx, t, all...)
	for _, r := range all {
		if list := sentences[r.ID]; len(list) > 0 {
			r.Message = strings.TrimSpace(r.Message + " " + strings.Join(list, " "))
		}
	}
	return err
}
