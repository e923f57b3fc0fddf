"""Where secrets stand in commands, addresses, headers and files of settings: what follows there is one."""

import re
from typing import NamedTuple

_WORD = r"(?P<q{0}>[\"']?)(?P<{1}{0}>(?:(?!(?P=q{0}))[^\n\"']|[^\s\"']){{3,300}}+)"
_VALUE = r"(?:\"(?P<v1>[^\"\n]{3,300}+)\"|'(?P<v2>[^'\n]{3,300}+)'|(?P<v3>[^\s\"'|;&]{3,300}+))"
_SURE = _VALUE.replace("<v", "<w")  # as is; a `v` only if it may be a value at all
_SAID = (
    r"(?:secret|token|passw|passphrase|pwd|_auth|api_?key|access_?key|private_?key|secret_?key|account_?key|_key|_pass)"
)


class Form(NamedTuple):
    """A form of secrets: words without one of which no text holds it (lower case), and its pattern for small letters.

    What is secret are the groups `w…`, and the groups `v…` that are no reference to a value and no word about one, `p…`
    if they are not letters only, and `c…` if they are no words.
    """

    signs: tuple[str, ...]
    pattern: re.Pattern[str]


def form(signs: str, pattern: str) -> Form:
    """A form whose signs are joined by commas; it is looked for in small letters, which takes a third of the time."""
    small = re.sub(r"(\\.|\(\?P)|([A-Z])", lambda found: found[1] or found[2].lower(), pattern)
    return Form(tuple(signs.split(",")), re.compile(small, re.MULTILINE))


FORMS = (
    # scheme://user:password@host, user:password@host:1, user/password@host
    form("://", r"(?<=://)(?P<c>[^\s/:@\"'<>]{0,200}+)(?::(?P<v>[^\s/\"'<>]{1,200}))?@(?=[\w\[$])"),
    form("://", r"(?:sql|mongo|redis|rediss|amqp|amqps|mariadb|srv|db)://[^\s/:@]{0,100}+:(?P<v>[^\s\"'@…]{1,200}+)@"),
    form("@", r"(?<![\w./@:-])[\w.-]{1,40}+:(?P<v>[^\s:@/\"'…]{4,64}+)@[\w.-]{1,80}+:\d{2,5}\b"),
    form("thin:,sqlplus,rman", r"(?:thin:|sqlplus[^\n]{0,40}?\s|target\s)\"?\w{1,40}+/(?P<v>[^\s@/\"]{3,80}+)@"),
    form(
        "hooks.slack.com,/webhook,api.telegram,logic.azure",
        r"(?:hooks\.slack\.com/(?:services|workflows|triggers)/|discord(?:app)?\.com/api/(?:v\d+/)?webhooks/\d{1,30}/"
        r"|webhook(?:b2)?/|api\.telegram\.org/bot\d{0,20}:?)(?P<v>[\w/@:-]{16,300}+)",
    ),
    form(":aa", r"\b\d{8,10}:(?P<v>AA[\w-]{33})\b"),  # Telegram
    # headers
    form(
        "authorization",
        r"authorization[\"'\]]{0,3}\s{0,4}[:=,]\s{0,4}\\?[\"']?(?:(?:Digest|OAuth|Hawk|MAC|AWS4[\w-]{1,20}"
        r"|WRAP|Signature|\w{1,20}Login)\s{1,4})"
        r"(?P<v>(?:[\w-]{1,40}+=(?:\\?\"[^\"\n]{0,2000}+\"|[^\s,\"']{1,2000}+)(?:[,\s]{1,4}|$|(?=[\"'])))++)",
    ),
    form(
        "authorization,apikey",
        r"(?:authorization|apikey)[\"'\]]{0,3}\s{0,4}[:=,]\s{0,4}\\?[\"']?(?:(?!bearer"
        r"|basic)[a-z][\w-]{2,30}+\s{1,4})?(?:bearer|basic)?\s{0,4}"
        r"(?P<v>[^\s\"'`,;\\(){}…]{4,4000}+)(?=[\"'\\]|\s{0,4}(?:$|-[\w-]|https?:))",
    ),
    form(
        "bearer,basic,token,apikey,negotiate,ntlm,sharedkey",
        r"\b(?:bearer|basic|token|apikey|negotiate|ntlm"
        r"|sharedkey(?:lite)?)\s{1,4}\\?[\"']?(?P<c>[\w.~+/=:-]{12,4000}+)",
    ),
    form("auth plain,auth login,auth ", r"^\s{0,8}AUTH (?:PLAIN |LOGIN |\w{1,20} )?(?P<v>\S{4,500}+)$"),
    form(
        "true,false",
        r"\b(?:TRUE|FALSE)\s{1,4}/\S{0,80}\s{1,4}(?:TRUE"
        r"|FALSE)\s{1,4}\d{1,12}\s{1,4}\S{1,80}+\s{1,4}(?P<w>\S{3,4000}+)",
    ),
    # commands
    form(
        "-u,--user,--proxy-user,-a,--auth",
        r"\s(?:-u|-U|-a|--user|--proxy-user|--auth|--creds)[\s=]{0,4}[\"']?[^\s:%,\"'/]{1,100}+[:%,](?P<p>"
        r"(?!\d+\b)[^\s\"']{4,200}+)",
    ),
    form(
        "curl,wget,http",
        r"\bcurl\b[^\n|;]{0,300}?\s(?:-u|--user|-U|--proxy-user)[\s=]{0,4}[\"']?[^\s:\"']{1,100}+:(?P<v>"
        r"[^\s\"']{3,200}+)",
    ),
    form(
        "pass,token,secret,pw,key,bearer,credential",
        rf"(?<!\w)-{{1,2}}(?:[\w-]{{0,30}}?)(?:password|passwd|pass|passphrase|token|secret|pw|pwd|(?:api"
        rf"|access|auth|account|secret|private)-?key|bearer|credentials?)[^\S\n]{{1,4}}(?!--?\w){_VALUE}",
    ),
    form("mysql,mariadb", rf"\b(?:mysql|mariadb)(?:dump|admin|import|sh)?\b[^\n|;&]{{0,200}}?\s-p(?![\s-]){_VALUE}"),
    form("sshpass,ssh-keygen", rf"\b(?:sshpass\s{{1,4}}-p|ssh-keygen\b[^\n|;&]{{0,200}}?\s-[NP])\s{{0,4}}{_VALUE}"),
    form(
        " -p, -w, -pw, -a ",
        rf"\b(?:(?:docker|podman|helm|buildah|skopeo|oras|nerdctl|oc|cf|az|ecr"
        rf"|registry) (?:[\w-]{{1,20}} )?login|twine|mongo\w*|mosquitto_\w+|sqlcmd|bcp"
        rf"|ldap\w{{3,10}}|zip|unzip|7z\w?|rar|unrar|keytool|cqlsh|influx|snmp\w+|ipmitool|plink|pscp|psftp"
        rf"|putty|isql|tsql|expo|impala\w*|beeline|evil-winrm|nxc|crackmapexec|redis-cli|rdesktop|az)\b"
        rf"[^\n|;&]{{0,300}}?\s(?:-pw|-p|-P|-w|-a)[\s=]?(?!-|\d{{1,5}}(?::\d|\b)){_VALUE}",
    ),
    form("/p", rf"\s/(?:p|pass|password):{_VALUE}"),
    form("net use", r"\bnet use\b[^\n]{0,200}?/user:\S{1,80}+\s{1,4}(?P<w>\S{3,100}+)"),
    form("htpasswd", r"\bhtpasswd\s(?:-\w{1,6}\s){1,3}(?:\S{1,200}+\s){1,2}(?P<v>[^\s\"'-]\S{2,100}+)\s{0,4}$"),
    form("pass:", r"\bpass:(?P<v>[^\s\"']{3,200}+)"),
    form(
        "|,>",
        r"\b(?:echo|printf|print)\s{1,4}(?:-\w+\s)?(?:\"(?:[^\"\n:]{1,40}:)?(?P<v1>[^\"\n]{3,300}+)\""
        r"|'(?:[^'\n:]{1,40}:)?(?P<v2>[^'\n]{3,300}+)'|(?:[\w.-]{1,40}:)?(?P<v3>[^\s\"'"
        r"|;&]{3,300}+))\s{0,4}(?:\|[^\n|]{0,200}?(?:-stdin\b|sudo -S|-fd[ =]0|--with-token|\bchpasswd\b|\bpasswd\b)"
        r"|>{1,2}\s?\S{0,80}?(?:passw|pgpass|secret|token|credential|_key))",
    ),
    form(
        "env ,param ,arg ,set ,setx ,setenv ,put ,-x ",
        rf"\b(?:ENV|setx|setenv|fastcgi_param|uwsgi_param|set(?:\s-\w{{1,4}})?|put|add"
        rf"|configure set)\s{{1,4}}[\w./:@-]{{0,80}}?{_SAID}[\w-]{{0,40}}\s{{1,4}}"
        rf"(?:--?[\w]{{1,10}}\s)?{_VALUE}",
    ),
    form(
        "--body,--value,--secret-string, -b",
        rf"\b(?:secrets? (?:set|add|put)|create-secret|put-secret-value|put-parameter)\b[^\n]{{0,200}}?"
        rf"\s(?:--body|--value|--secret-string|-b)[\s=]{_SURE}",
    ),
    form("add-generic-password,add-internet", rf"\badd-\w{{1,12}}-password\b[^\n]{{0,200}}?\s-w\s{{1,4}}{_SURE}"),
    form(
        "<<<",
        rf"(?:-stdin|sudo -S|--with-token|passwd|read|cryptsetup|kinit|secrets? put)\b[^\n]{{0,80}}?<<<"
        rf"\s{{0,2}}{_VALUE}",
    ),
    form(
        "openssl", rf"\bopenssl\b[^\n|;&]{{0,200}}?\s-(?:k|K|pass|password)\s{{1,4}}(?!pass:|env:|file:|stdin){_VALUE}"
    ),
    form(
        "auth",
        rf"\bauth\s{{0,2}}=\s{{0,2}}(?:[\w.]{{1,30}}\()?\(?[\"'][^\"'\n]{{1,80}}[\"'],\s{{0,4}}(?=[\"']){_VALUE}",
    ),
    form(  # host or address, user, password
        "connect,mysqli,pdo",
        rf"(?:connect\w{{0,20}}|mysqli|\bpdo)\(\s{{0,8}}(?:(?:[\w.]{{1,40}}|[\"'][^\"'\n]{{1,200}}[\"']),\s{{0,8}})"
        rf"[\"'][^\"'\n]{{1,80}}[\"'],\s{{0,8}}(?=[\"']){_VALUE}",
    ),
    form("user", r"^\s{0,4}user\s{0,4}=\s{0,4}\"[^\":\n]{1,80}:(?P<w>[^\"\n]{3,200})\""),
    # files
    form(
        "password,passwd",
        r"\b(?:login|user|username|account)\s{1,4}\S{1,100}+\s{1,4}(?:password|passwd)\s{1,4}(?P<w>\S{3,200}+)",
    ),
    form(
        "requirepass,masterauth,auth-pass,auth_pass",
        rf"\b(?:requirepass|masterauth|auth[-_]pass(?:\s\S{{1,40}})?)\s{{1,4}}{_VALUE}",
    ),
    form(":", r"^[\w.*-]{1,100}+:(?:\d{2,5}|\*):[\w*-]{1,60}+:[\w*.-]{1,60}+:(?P<w>[^\s:]{3,100}+)$"),  # .pgpass
    form(
        "$", r"(?P<w>\$(?:\d\w?|y|gy|apr1|2[abxy]|argon2\w{1,2}|scrypt|pbkdf2[\w-]{0,10}|ml|P|H)\$[\w./$+=,-]{16,300}+)"
    ),
    form("{sha,{ssha,{smd5", r"\{S?(?:SHA|MD5)\d{0,3}\}(?P<w>[\w+/=]{16,200}+)"),
    form("identified by", rf"\bidentified by\s{{1,4}}(?:password\s{{1,4}})?(?=[\"']){_VALUE}"),
    form(
        "log,cred,access,zugangs,identifiant",
        r"\b(?:logins?|log in|credentials?|creds|access|zugangsdaten|identifiants?|credenciales)(?: data| details)?"
        r"(?:\s{0,2}[:=]|\s(?:with|as))\s{0,4}[\w.@-]{2,80}+\s{0,2}[/|:]\s{0,2}(?P<v>[^\s/,;]{4,80}+)",
    ),
)
