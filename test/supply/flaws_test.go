package supply

// flaw is a weakness of a module that a version fixes.
type flaw struct{ module, fixed, id string }

// flaws are weaknesses of modules that are or were linked, or that a careless change of go.mod would
// link. Each id can be looked up at https://pkg.go.dev/vuln and https://www.cve.org. This check works
// without a network, in addition to govulncheck.
var flaws = []flaw{
	{"github.com/go-jose/go-jose/v4", "v4.0.5", "CVE-2025-27144"},
	{"github.com/go-viper/mapstructure/v2", "v2.3.0", "GHSA-fv92-fjc5-jj9h"},
	{"github.com/golang-jwt/jwt/v4", "v4.5.2", "CVE-2025-30204"},
	{"github.com/golang-jwt/jwt/v5", "v5.2.2", "CVE-2025-30204"},
	{"github.com/jackc/pgx/v5", "v5.5.4", "CVE-2024-27304"},
	{"github.com/microcosm-cc/bluemonday", "v1.0.16", "CVE-2021-42576"},
	{"github.com/nwaples/rardecode/v2", "v2.2.0", "CVE-2025-11579"},
	{"github.com/redis/go-redis/v9", "v9.7.3", "CVE-2025-29923"},
	{"github.com/sirupsen/logrus", "v1.9.3", "CVE-2025-65637"},
	{"github.com/ulikunitz/xz", "v0.5.15", "CVE-2025-58058"},
	{"golang.org/x/crypto", "v0.45.0", "CVE-2025-58181"},
	{"golang.org/x/net", "v0.45.0", "CVE-2025-47911"},
	{"golang.org/x/oauth2", "v0.27.0", "CVE-2025-22868"},
	{"golang.org/x/text", "v0.3.8", "CVE-2022-32149"},
	{"google.golang.org/protobuf", "v1.33.0", "CVE-2024-24786"},
	{"gopkg.in/yaml.v3", "v3.0.1", "CVE-2022-28948"},
}

// packageFlaw is a weakness of an npm package, from a version on ("" for the first) until the one that
// fixes it.
type packageFlaw struct{ name, from, fixed, id string }

// packageFlaws are weaknesses of packages that the console or its tools are built from, or that a
// careless change of web/package.json would add. Each id can be looked up at
// https://github.com/advisories.
var packageFlaws = []packageFlaw{
	{"@babel/helpers", "", "7.26.10", "CVE-2025-27789"},
	{"@babel/runtime", "", "7.26.10", "CVE-2025-27789"},
	{"@eslint/plugin-kit", "", "0.3.4", "GHSA-xffm-g5w8-qvg7"},
	{"brace-expansion", "", "1.1.12", "CVE-2025-5889"},
	{"brace-expansion", "2.0.0", "2.0.2", "CVE-2025-5889"},
	{"braces", "", "3.0.3", "CVE-2024-4068"},
	{"cookie", "", "0.7.0", "CVE-2024-47764"},
	{"cross-spawn", "7.0.0", "7.0.5", "CVE-2024-21538"},
	{"esbuild", "", "0.25.0", "GHSA-67mh-4wv8-2f99"},
	{"form-data", "4.0.0", "4.0.4", "CVE-2025-7783"},
	{"glob", "10.2.0", "10.5.0", "CVE-2025-64756"},
	{"glob", "11.0.0", "11.1.0", "CVE-2025-64756"},
	{"js-yaml", "4.0.0", "4.1.1", "CVE-2025-64718"},
	{"json5", "2.0.0", "2.2.2", "CVE-2022-46175"},
	{"lodash", "", "4.17.23", "CVE-2025-13465"},
	{"micromatch", "", "4.0.8", "CVE-2024-4067"},
	{"nanoid", "", "3.3.8", "CVE-2024-55565"},
	{"nanoid", "4.0.0", "5.0.9", "CVE-2024-55565"},
	{"postcss", "", "8.4.31", "CVE-2023-44270"},
	{"prismjs", "", "1.30.0", "CVE-2024-53382"},
	{"react-server-dom-webpack", "19.0.0", "19.2.3", "CVE-2025-55182"},
	{"rollup", "4.0.0", "4.22.4", "CVE-2024-47068"},
	{"semver", "7.0.0", "7.5.2", "CVE-2022-25883"},
	{"seroval", "", "1.4.1", "CVE-2026-23737"},
	{"tough-cookie", "", "4.1.3", "CVE-2023-26136"},
	{"undici", "7.0.0", "7.5.0", "CVE-2025-47279"},
	{"vite", "7.0.0", "7.1.11", "CVE-2025-62522"},
	{"ws", "8.0.0", "8.17.1", "CVE-2024-37890"},
}

// archived are modules whose authors no longer accept changes, so that a weakness would stay.
var archived = []string{
	"github.com/boltdb/bolt", "github.com/dgrijalva/jwt-go", "github.com/gogo/protobuf", "github.com/golang/mock", "github.com/mitchellh/cli",
	"github.com/mitchellh/copystructure", "github.com/mitchellh/go-homedir", "github.com/mitchellh/hashstructure", "github.com/mitchellh/hashstructure/v2",
	"github.com/mitchellh/mapstructure", "github.com/mitchellh/reflectwalk", "github.com/pkg/errors", "github.com/sagikazarmark/slog-shim",
	"github.com/satori/go.uuid", "gopkg.in/square/go-jose.v2", "gopkg.in/yaml.v2", "gopkg.in/yaml.v3",
}

// stays gives the reason why an archived module is still linked.
var stays = map[string]string{
	"github.com/mitchellh/copystructure": "sprig, which package report of gitleaks names for templates of its command line; nothing of it is called",
	"github.com/mitchellh/reflectwalk":   "copystructure",
}
