package check

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
)

// further are more files and texts with a placeholder for a password.
var further = [][2]string{
	// constants with a type
	{"a.rs", `const DB_PASSWORD: &str = "%s";`}, {"a.rs", `static PASSWORD: &'static str = "%s";`}, {"a.ts", `const DB_PASSWORD: string = "%s";`},
	{"a.ts", `  private readonly password: string = '%s';`}, {"a.ts", `let password: string | undefined = "%s"`}, {"A.kt", `val dbPassword: String = "%s"`},
	{"A.kt", `private const val PASSWORD: String? = "%s"`}, {"a.py", `DB_PASSWORD: Final[str] = "%s"`}, {"a.py", `    db_password: str = '%s'`},
	{"A.swift", `let password: String = "%s"`}, {"a.go", "package a\n\nvar password string = \"%s\""}, {"a.c", `const char password[] = "%s";`},
	{"a.c", `static const char *db_password = "%s";`}, {"a.c", `#define DB_PASSWORD "%s"`}, {"a.h", `#define DB_PASSWORD L"%s"`}, {"A.java", `private static final String DB_PASSWORD = "%s";`},
	{"a.go", "package a\n\nconst dbPassword =\n\t\"%s\""}, {"a.py", "DB_PASSWORD = (\n    \"%s\"\n)"}, {"a.rs", `let password = String::from("%s");`}, {"a.go", "package a\n\nvar password = []byte(\"%s\")"},
	{"a.py", `password = SecretStr("%s")`}, {"A.scala", `val password: Option[String] = Some("x"); val dbPassword: String = "%s"`},
	// values to fall back to
	{"a.js", `const p = process.env.DB_PASSWORD || "%s";`}, {"a.ts", `const p = process.env.DB_PASSWORD ?? '%s'`}, {"a.ts", `const p = process.env["DB_PASSWORD"] ?? '%s'`},
	{"a.ts", `const p = process.env.DB_PASSWORD! || '%s'`}, {"a.py", `p = os.environ.get("DB_PASSWORD") or "%s"`}, {"a.py", `p = os.getenv("DB_PASSWORD", "%s")`},
	{"a.rb", `p = ENV['DB_PASSWORD'] || '%s'`}, {"a.rb", `p = ENV.fetch('DB_PASSWORD') { '%s' }`}, {"A.kt", `val p = System.getenv("DB_PASSWORD") ?: "%s"`},
	{"a.rs", `let p = env::var("DB_PASSWORD").unwrap_or("%s".to_string());`}, {"a.php", `$p = getenv('DB_PASSWORD') ?: '%s';`}, {"A.java", `p = m.getOrDefault("password", "%s");`},
	{"a.sh", `p=${DB_PASSWORD:-%s}`}, {"a.sh", `: "${DB_PASSWORD:=%s}"`}, {"a.sh", `p=${DB_PASSWORD-%s}`}, {"c.yml", "      DB_PASSWORD: ${DB_PASSWORD:-%s}"},
	{"A.java", `@Value("${db.password:%s}")`}, {"application.yml", "  password: ${DB_PASSWORD:%s}"},
	{"a.py", `p.add_argument("--password", default="%s")`}, {"a.py", `p.add_argument('--db-password', type=str, help="The password.", default='%s')`}, {"a.py", `@click.option("--password", default="%s")`},
	{"a.go", "package a\n\nvar p = flag.String(\"password\", \"%s\", \"the password\")"}, {"main.tf", "variable \"db_password\" {\n  type = string\n  sensitive = true\n  default = \"%s\"\n}"},
	// statements and commands
	{"a.sql", `CREATE USER bob WITH PASSWORD '%s';`}, {"a.sql", `ALTER ROLE bob WITH LOGIN PASSWORD '%s';`}, {"a.sql", `CREATE USER 'bob'@'10.0.0.7' IDENTIFIED BY '%s';`},
	{"a.sql", `alter user bob identified with mysql_native_password by '%s'`}, {"a.sql", `CREATE LOGIN bob WITH PASSWORD = '%s';`}, {"a.py", `cur.execute("CREATE USER bob PASSWORD '%s'")`},
	{"pod.yml", "  args:\n    - --password\n    - %s"}, {"pod.yml", "  args: [\"--db-password\", \"%s\"]"}, {"a.json", "[\"--password\",\n \"%s\"]"}, {"up.sh", "app --password \\\n  %s"},
	{"up.sh", "kubectl create secret generic a --from-literal=password=%s"}, {"a.ps1", `$s = ConvertTo-SecureString "%s" -AsPlainText -Force`}, {"a.ps1", `ConvertTo-SecureString -String '%s' -AsPlainText`},
	{"a.ps1", `New-LocalUser -Password "%s"`},
	// formats
	{"a.yml", "password: |\n  %s"}, {"a.yml", "db:\n  password: >-\n    %s"}, {"a.yml", "password: &pw %s"}, {"a.yml", "password: !!str %s"}, {"a.yml", "- password: \"%s\""},
	{"a.xml", "<password><![CDATA[%s]]></password>"}, {"a.xml", "<password>\n  <![CDATA[%s]]>\n</password>"}, {"a.xml", "<property name=\"password\"><value>%s</value></property>"},
	{"a.xml", "<property name=\"password\">\n  <value><![CDATA[%s]]></value>\n</property>"}, {"a.properties", "db.password %s"}, {"a.properties", "db.password=\\\n    %s"}, {"a.properties", "db.password = %s"},
	{"a.service", "Environment=DB_PASSWORD=%s"}, {"a.service", "Environment=A=1 DB_PASSWORD=%s"}, {"build.gradle", "        storePassword '%s'"}, {"build.gradle.kts", `        storePassword = "%s"`},
	{"ldap.conf", "bindpw %s"}, {"a.ldif", "userPassword: %s"}, {"Dockerfile", "ENV \\\n  DB_PASSWORD=%s"}, {"a.conf", "rootpw\t%s"}, {"a.cs", `var c = "Server=x;User Id=z;Database Password=%s;";`},
}

// tokens are files and texts with a placeholder for a token.
var tokens = [][2]string{
	{"a.rs", `const API_KEY: &str = "%s";`}, {"a.ts", `export const JWT_SECRET: string = "%s";`}, {"A.kt", `val apiKey: String = "%s"`}, {"a.py", `SECRET_KEY: str = "%s"`}, {"a.c", `#define API_KEY "%s"`},
	{"a.js", `const s = process.env.JWT_SECRET || "%s";`}, {"a.ts", `const s = process.env.JWT_SECRET ?? "%s";`}, {"a.sh", `t=${API_TOKEN:-%s}`}, {"A.java", `@Value("${app.jwt.secret:%s}")`},
	{"a.yml", "apiToken: |\n  %s"}, {"a.swift", `let apiKey: String = "%s"`}, {".npmrc", "//registry.npmjs.org/:_authToken=%s"},
}

// A secret is found after a name with a type, a fallback operator or a statement, and on the next line.
func TestSecretsAtFurtherPositions(t *testing.T) {
	t.Parallel()
	found := func(path, text, value string) {
		res := run(t, path, "", text+"\n")
		if len(res.Findings) != 1 || !res.Findings[0].Secret() || strings.Contains(res.Findings[0].Anchor.Quote, value) {
			t.Errorf("%s %q: %s", path, text, summary(res))
		}
		if got := res.Redactor.Text("x " + value); got == "x "+value {
			t.Errorf("%s %q: a model sees it", path, text)
		}
	}
	for _, tt := range further {
		for _, value := range []string{generated(), chosen()} {
			found(tt[0], strings.Replace(tt[1], "%s", value, 1), value)
		}
	}
	for _, tt := range tokens {
		found(tt[0], strings.Replace(tt[1], "%s", generated(), 1), generated())
	}
	uuid := "7c9e6679-" + "7425-40de-944b-e07fc1f90ae7"
	found(".npmrc", "//registry.npmjs.org/:_authToken="+uuid, uuid)
	login := base64.StdEncoding.EncodeToString([]byte("deploy:" + chosen()))
	found("home/.docker/config.json", `{"auths": {"registry.shop.io": {"auth": "`+login+`"}}}`, login)
	found(".npmrc", "_auth="+login, login)
	found("config/master.key", randomHex(71, 16), randomHex(71, 16))
	found("config/credentials/production.key", randomHex(72, 16), randomHex(72, 16))
	found("a.py", "url = 'amqp://bob:"+"k3jd92ls0d8f"+"@mq.corp.net/x'", "k3jd92ls0d8f")
	telegram := "7123456789:AA" + random(73, 33)
	found("a.py", "bot = Bot('"+telegram+"')", telegram)
	discord := "MTE4" + random(74, 22) + ".G" + random(75, 5) + "." + random(76, 38)
	found("a.js", "client.login('"+discord+"')", discord)
	sig := strings.NewReplacer("k", "%2B").Replace(random(77, 43)) + "%3D"
	found("a.py", "u = 'https://shop.blob.core.windows.net/x?sv=2022-11-02&sp=r&sig="+sig+"'", sig)
	signature := strings.Repeat("0f1e2d3c4b5a6978", 4)
	found("a.log", "uploaded to https://logs.s3.amazonaws.com/7?X-Amz-Expires=60&X-Amz-Signature="+signature, signature)
}

// Placeholders fail no check at the same positions.
func TestPlaceholdersAtFurtherPositions(t *testing.T) {
	t.Parallel()
	none := func(path, text string) {
		for _, f := range run(t, path, "", text+"\n").Findings {
			if f.Secret() {
				t.Errorf("%s %q: %s", path, text, f.RuleID)
			}
		}
	}
	for i, tt := range append(further, tokens...) {
		t.Run(fmt.Sprint(i, " ", tt[0]), func(t *testing.T) {
			t.Parallel()
			for _, value := range []string{"${PASSWORD}", "{{password}}", "changeme", "ChangeMe123!", "P@ssw0rd", "your-password-here", "<password>", "xxxxxxxxxxxx", "Test1234!", "secret123",
				"vault:secret/db", "my-jwt-secret-1", "$argon2id$v=19$m=65536,t=3,p=4$" + random(78, 22) + "$" + random(79, 43)} {
				none(tt[0], strings.Replace(tt[1], "%s", value, 1))
			}
		})
	}
	for _, tt := range [][2]string{{"home/.docker/config.json", `{"auth": "` + base64.StdEncoding.EncodeToString([]byte("user:password")) + `"}`},
		{"a.ts", "function login(user: string, password: string, host = 'db-7.Shop.io') {}"}, {"a.ts", `if (x.token == undefined || y == "Krill-7-vexed") {}`},
		{"a.sh", `echo "${TOKEN:?set-TOKEN-to-1-value}"`}, {"a.sh", `echo "${TOKEN:0:12}"`}, {"a.yml", "password: *db-Password1"}, {"a.md", `Enter the password "Bitte-2-mal-eingeben".`},
		{"a.py", "u = 'https://x.io/?sig=" + strings.Repeat("x", 43) + "%3D'"}, {"a.sql", "ALTER USER bob IDENTIFIED BY '${PASSWORD}'"}, {".npmrc", "//registry.npmjs.org/:_authToken=${NPM_TOKEN}"},
		{".npmrc", "//registry.npmjs.org/:_authToken=00000000-0000-0000-0000-000000000000"}, {"config/public.key", randomHex(71, 16)}, {"a.py", "t = '10:30:AA'"},
		{"a.py", "urls = (\n  'file:///etc/passwd',\n  'magnet:?xt=urn:btih:be08f00302bc2d1d3cfa3af02024fa647a271431',\n)"},
	} {
		none(tt[0], tt[1])
	}
}
