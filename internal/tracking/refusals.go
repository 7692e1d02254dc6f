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
	// RefusalAge is how long a host's refusal is shown. A synchronisation repeats most requests each hour;
	// a write is repeated with the next review (design choice).
	RefusalAge = 7 * 24 * time.Hour

	// maxRefused is how many refusals a connection names (design choice).
	maxRefused = 10

	// OpProbe names the requests of a probe, which reports missing permissions itself.
	OpProbe = "probe"
)

// refusalSentences returns sentences about the refusals of connections' hosts, by connection.
func (s *Service) refusalSentences(ctx context.Context, t domain.Tenant, all ...*ProviderConnection) (map[string][]string, error) {
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
		out[v.Connection] = append(out[v.Connection], codehost.RefusedSentence(kinds[v.Connection], v.Op, v.Path, v.Words)+
			" It was refused on "+at+".")
	}
	for id, n := range many {
		out[id] = append(out[id], fmt.Sprintf("It refuses %d more kinds of requests.", n))
	}
	return out, nil
}

// addRefusals appends the hosts' refusals to the messages of connections.
func (s *Service) addRefusals(ctx context.Context, t domain.Tenant, all ...*ProviderConnection) error {
	sentences, err := s.refusalSentences(ctx, t, all...)
	for _, r := range all {
		if list := sentences[r.ID]; len(list) > 0 {
			r.Message = strings.TrimSpace(r.Message + " " + strings.Join(list, " "))
		}
	}
	return err
}
