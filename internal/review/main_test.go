package review_test

import (
	"context"
	"testing"

	"github.com/assay-dev/assay/internal/testkit"
)

func TestMain(m *testing.M) { testkit.Main(m) }

var bg = context.Background()
