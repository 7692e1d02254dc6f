package store

import (
	"context"

	"github.com/assay-dev/assay/internal/domain"
)

// StageResult reads the stored result of a finished stage. It returns ok false if no result is stored.
func (s *Store) StageResult(ctx context.Context, t domain.Tenant, run, stage, inputHash string) (out []byte, ok bool, err error) {
	out, err = one(ctx, s, value[[]byte], `SELECT output FROM run_stages WHERE tenant_id = $1 AND run_id = $2 AND stage = $3
		AND input_hash = $4`, t.ID, run, stage, inputHash)
	if isAbsent(err) {
		return nil, false, nil
	}
	return out, err == nil, err
}

// SaveStageResult stores the result of a stage; later results for the same input are ignored.
func (s *Store) SaveStageResult(ctx context.Context, t domain.Tenant, run, stage, inputHash string, out []byte) error {
	_, err := s.exec(ctx, `INSERT INTO run_stages (run_id, stage, input_hash, tenant_id, output, created_us) VALUES ($1, $2, $3, $4, $5, {now})
		ON CONFLICT (run_id, stage, input_hash) DO NOTHING`, run, stage, inputHash, t.ID, out)
	return err
}
